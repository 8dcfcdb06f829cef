// A click on a heading sorts its table by that column: numbers from the largest, texts from A; a
// second click turns the order round. The row of the total stays last.
for (const th of document.querySelectorAll("th"))
	th.addEventListener("click", () => {
		const table = th.closest("table"), body = table.tBodies[0];
		const key = (row) => row.cells[th.cellIndex].dataset.v ?? row.cells[th.cellIndex].textContent;
		const rows = [...body.rows].filter((r) => !r.classList.contains("total"));
		const last = [...body.rows].filter((r) => r.classList.contains("total"));
		const numbers = rows.some((r) => key(r) !== "" && !isNaN(key(r)));
		const down = th.ariaSort ? th.ariaSort === "ascending" : numbers && !th.dataset.first;
		const value = (r) => (key(r) === "" || isNaN(key(r)) ? -Infinity : +key(r));
		rows.sort((a, b) => (numbers ? value(a) - value(b) : key(a).localeCompare(key(b))) * (down ? -1 : 1));
		for (const other of table.querySelectorAll("th"))
			other.ariaSort = null;
		th.ariaSort = down ? "descending" : "ascending";
		body.append(...rows, ...last);
	});
