/*
 * The functions of Bessel, which device_math.h ends with. Below 8 they are polynomials: in x^2
 * where a function is smooth at 0, with the terms of the logarithm and of 1/x taken off, and
 * else around a middle. Where a function has a zero they are of what is left without it, so that
 * a value beside a zero is as good as any. From 8 on amplitude and phase are polynomials in
 * (8/x)^2: to an absolute error, as the zeros there are a sine's. Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 9.1, 9.2, 9.6 and 9.7; coefficients are of the
 * interpolation in Chebyshev's points, to 2^-55 of the value.
 */
#ifndef WT_BESSEL_H
#define WT_BESSEL_H

/* c + c' t + c'' t^2 ... */
WT_IN double wt_poly(double, double c)
{
	return c;
}
template <class... Rest> WT_IN double wt_poly(double t, double c, Rest... rest)
{
	return __builtin_fma(wt_poly(t, rest...), t, c);
}

/* ---- of the first and second kind ---- */

/* Both at x >= 8; turned: the phase is a quarter further, so each takes the other's place. */
WT_IN double wt_bessel_wave(double x, double p, double q, int second)
{
	double s, c;
	__nv_sincos(x, &s, &c);
	const double sum = s + c, difference = s - c;
	return 0.5641895835477563 / __builtin_sqrt(x) *
	       (second ? p * difference + q * sum : p * sum - q * difference);
}
WT_IN double wt_bessel_far0(double x, int second)
{
	const double y = 64.0 / (x * x) - 0.5;
	const double p = wt_poly(y, 0.9994572757882519, -0.001072734638425996, 2.454966432502768e-05,
		-1.64219585592718e-06, 2.04859967341134e-07, -3.878762623769047e-08,
		9.924063294788792e-09, -3.1876372749929983e-09, 1.1967964644522634e-09,
		-5.24202343642908e-10, 3.5350664356535263e-10, -2.0391504603194497e-10);
	const double q = wt_poly(y, -0.015555113879513518, 0.0001366629819868815, -5.908555330589498e-06,
		5.684971881945821e-07, -9.06994574583098e-08, 2.0584925789571633e-08,
		-6.061047186860769e-09, 2.1797682123952093e-09, -9.188288392175905e-10,
		4.448566085921444e-10, -2.386572203571426e-10, 1.1807521856195987e-10,
		-7.068065043806479e-11, 1.0406574296215868e-10, -7.917503124815841e-11);
	return wt_bessel_wave(x, p, q * (8.0 / x), second);
}
/* J1 is where Y0 is with these, and Y1 where J0 is, with its sign turned. */
WT_IN double wt_bessel_far1(double x, int second)
{
	const double y = 64.0 / (x * x) - 0.5;
	const double p = wt_poly(y, 1.0009070262780821, 0.0017976098833411016, -3.1838778798626794e-05,
		1.962941301435973e-06, -2.3533597881451483e-07, 4.3529620237330285e-08,
		-1.0967817963642215e-08, 3.4849270534346964e-09, -1.2984911303482736e-09,
		5.652683001787168e-10, -3.782952050026451e-10, 2.1732281186642052e-10);
	const double q = wt_poly(y, 0.04677687402744898, -0.00019242917644108923, 7.284807404678455e-06,
		-6.633568564937367e-07, 1.0272213590792675e-07, -2.2883551004464175e-08,
		6.652475965613111e-09, -2.3708275950214727e-09, 9.965524739346669e-10,
		-4.76604165442868e-10, 2.3020341346474183e-10, -1.2958088336911046e-10,
		1.480228440151956e-10, -1.0555534000015895e-10);
	const double v = wt_bessel_wave(x, p, q * (8.0 / x), !second);
	return second ? -v : v;
}

/* J0 for 0 <= x < 4 */
WT_IN double wt_j0_near(double x)
{
	const double t = x * x - 8.0;
	const double p = wt_poly(t, -0.08866241912277732, 0.008082510351864747, -0.00026609542270822584,
		4.58920932838392e-06, -4.897547976055148e-08, 3.5619746410315506e-10,
		-1.8813320204089937e-12, 7.549421488489693e-15, -2.3808057874988283e-17,
		6.05794115274023e-20, -1.270836244064938e-22, 2.2336843678249962e-25);
	return (x - 2.404825557695773 + 1.176691651530894e-16) * (x + 2.404825557695773) * p;
}
WT_FN double __nv_j0(double x)
{
	const double a = __builtin_fabs(x), t = a - 6.0;
	if (a == __builtin_inf())
		return 0.0;
	if (a >= 8.0)
		return wt_bessel_far0(a, 0);
	if (!(a >= 4.0))
		return wt_j0_near(a);
	const double p = wt_poly(t, 0.3138953660581486, -0.07753659236669228, -0.04343003493451359,
		0.008464995494980618, 0.001690716442151625, -0.0002903924577955319,
		-3.245981773391713e-05, 5.046333168153781e-06, 3.7683306467372574e-07,
		-5.36987863945678e-08, -2.9472156580590527e-09, 3.881003614229316e-10,
		1.6621460238950464e-11, -2.0351171543099134e-12, -7.078629597253774e-14,
		8.100222072144355e-15, 2.2538035514226486e-16, -2.426933902128524e-17);
	return (a - 5.520078110286311 - 8.088597146146722e-17) * p;
}
/* J1 for 0 <= x < 5 */
WT_IN double wt_j1_near(double x)
{
	const double t = x * x - 12.0;
	const double p = wt_poly(t, -0.01640641833104523, 0.0010746914324904927, -2.7722788986577816e-05,
		3.937855082094676e-07, -3.5758947876610908e-09, 2.2646240037997105e-11,
		-1.059601064627523e-13, 3.817325159663003e-16, -1.0923711554660369e-18,
		2.5442880871984846e-21, -4.9238283685819355e-24, 7.961220275215586e-27);
	return x * ((x - 3.8317059702075125 + 1.5269184090088067e-16) * (x + 3.8317059702075125) * p);
}
WT_FN double __nv_j1(double x)
{
	const double a = __builtin_fabs(x), sign = __builtin_copysign(1.0, x), t = a - 6.5;
	if (!(a >= 5.0))
		return sign * wt_j1_near(a);
	if (a == __builtin_inf())
		return sign * 0.0;
	if (a >= 8.0)
		return sign * wt_bessel_far1(a, 0);
	const double p = wt_poly(t, 0.2983810684341155, 0.028353274403168434, -0.04833112679918981,
		-0.0014177205859508455, 0.0022411250616447198, 2.2534588972428572e-05,
		-4.920127473503496e-05, -1.1455840996380213e-07, 6.329695893100368e-07,
		-8.072392133637003e-10, -5.3657541013111525e-09, 1.6585682772197116e-11,
		3.2284750312194e-11, -1.3012678458978406e-13, -1.4510044067705923e-13,
		6.326417342995727e-16, 4.931057219437789e-16);
	return sign * (a - 7.015586669815619 + 9.414165653410389e-17) * p;
}

#define WT_BESSEL_EDGES(x)                                                                         \
	if (!((x) > 0))                                                                            \
		return (x) == 0 ? -__builtin_inf() : __builtin_nan("");                            \
	if ((x) == __builtin_inf())                                                                \
	return 0.0
/* Below 3, z its zero there: 2/pi J0(x) ln(x/z), and what is left is 0 at z, too. */
WT_IN double wt_y0_near(double x)
{
	const double from_zero = x - 0.8935769662791675 - 2.6596231539720385e-17;
	const double s = from_zero / (x + 0.8935769662791675), t = x * x - 4.5;
	const double l = x > 0.64 && x < 1.26 ? 2.0 * s + wt_log_rest(s)
					      : __nv_log(x) + 0.11252280788079412;
	const double p = wt_poly(t, 0.11731068956802439, -0.01225193676776447, 0.00044060974203792157,
		-8.108576544427262e-06, 9.106529345524812e-08, -6.906520099761963e-10,
		3.7793415805284705e-12, -1.5637069226146035e-14, 5.067172796546036e-17,
		-1.320457131062257e-19);
	return __builtin_fma(0.6366197723675814 * wt_j0_near(x), l,
		from_zero * (x + 0.8935769662791675) * p);
}
WT_FN double __nv_y0(double x)
{
	double p;
	WT_BESSEL_EDGES(x);
	if (x >= 8.0)
		return wt_bessel_far0(x, 1);
	if (x < 3.0)
		return wt_y0_near(x);
	if (x < 5.0) {
		const double t = x - 4.0;
		p = wt_poly(t, -0.40028607275087885, 0.055772070786748416, 0.0576304725848257,
		-0.007218632405675598, -0.0021408432412157747, 0.0002080149211871507,
		4.945840245791564e-05, -4.993977100040556e-06, -3.003306595835652e-07,
		-1.419066787997825e-08, 1.7311747923094073e-08, -3.2918575520593198e-09,
		6.72751331206429e-10, -1.6187868982305014e-10, 3.7180532175669346e-11,
		-8.735828323947461e-12, 2.7636431832844795e-12, -6.557781869208919e-13);
		return (x - 3.957678419314858 + 1.0764340697562706e-16) * p;
	}
	const double t = x - 6.5;
	p = wt_poly(t, 0.2956097969173119, 0.03671782958119044, -0.04917565324896328,
		-0.002071690390908881, 0.0023371961041279946, 3.360524551838614e-05,
		-5.1103575183441066e-05, -2.559987134738332e-07, 6.59559615976346e-07,
		-3.3470057693021843e-10, -5.499965538675957e-09, 5.383487716171993e-12,
		3.4362938826843486e-11, -2.698258673575691e-13, -1.270113595516496e-13,
		-3.4690976252679393e-15, 1.1014281601441982e-15);
	return (x - 7.086051060301773 + 8.835285723085408e-17) * p;
}
WT_FN double __nv_y1(double x)
{
	double p;
	WT_BESSEL_EDGES(x);
	if (x >= 8.0)
		return wt_bessel_far1(x, 1);
	if (x < 1.6) {
		const double t = x * x - 1.25;
		p = wt_poly(t, -0.13260136438612594, 0.047288602656444675, -0.002695779178003302,
		6.681669402610043e-05, -9.381556212326154e-07, 8.516867316770718e-09,
		-5.4203464213580736e-11, 2.555202962103737e-13, -9.278310028766205e-16);
		/* Below 1e-160 that product may be 0, which is nothing beside 1/x. */
		const double s = 0.6366197723675814; /* 2/pi */
		return __builtin_fma(x, p, s * wt_j1_near(x) * __nv_log(x) - s / x);
	}
	if (x < 3.0) {
		const double t = x - 2.25;
		p = wt_poly(t, 0.5144294341165881, -0.12202407229831455, -0.03349749409456923,
		-0.0032979211656727478, 0.006778849918919347, -0.002284938156236172,
		0.0008954876758019038, -0.0004198802517689961, 0.00019028607976159624,
		-8.487775728668e-05, 3.787778434270857e-05, -1.6896209106365255e-05,
		7.528506181555903e-06, -3.352027082559673e-06, 1.4982352626486215e-06,
		-6.713967986548274e-07, 2.874408018794591e-07, -1.1835052383091626e-07,
		6.488531698308287e-08, -3.98596660407284e-08, 1.2083487199491093e-08);
		return (x - 2.197141326031017 + 4.8259835876454966e-17) * p;
	}
	if (x < 4.75) {
		const double t = x - 3.875;
		return wt_poly(t, 0.40973690983923333, -0.07214271617238596, -0.18191603252603492,
		0.023723673146053264, 0.011364615538561119, -0.0009892494732576013,
		-0.00037862359058435884, 3.74684723017132e-05, 2.410395538887942e-06,
		4.0850848180235666e-07, -2.53060749111391e-07, 5.5309072809489746e-08,
		-1.325464847469782e-08, 3.5227071937701137e-09, -8.954657611314343e-10,
		2.3183807941709888e-10, -7.80627903488745e-11, 2.021045064064344e-11);
	}
	const double t = x - 6.375;
	p = wt_poly(t, -0.270266938029677, 0.10996976020195028, 0.02927600402027028,
		-0.010356381831194791, -0.0009622722671492074, 0.00033403920384781244,
		1.6447289047190276e-05, -5.711959132053888e-06, -1.5962310248066465e-07,
		5.862035501632963e-08, 1.2765546819366282e-09, -4.488634604577995e-10,
		-1.9382653430664377e-12, 1.6327401621994084e-12, 1.1363563552471192e-13,
		-2.2634145914237032e-14, 2.129368709224315e-15, -4.761023509052578e-16,
		7.941025837663724e-17);
	return (x - 5.429681040794135 - 4.162514026670377e-16) * p;
}

/*
 * Of order n: upwards by the recurrence where x is above n, which is stable there. Where x is so
 * small that one step of it may leave all numbers, the first term of the series. Else downwards
 * from an order so high that any value will do for it (Miller), and by the sum of J0 and twice
 * those of even orders, which is 1. A negative order gives NaN, as CUDA's does.
 */
WT_FN double __nv_jn(int n, double x)
{
	const double a = __builtin_fabs(x), by = 2.0 / a;
	double low, high, value = 0.0, sum = 0.0;

	if (n < 0)
		return __builtin_nan("");
	if (n == 0)
		return __nv_j0(x);
	if (n == 1 || a != a)
		return __nv_j1(x);
	/* (a/2)^n / n!, or more: less than all numbers. */
	if (a == 0 || a == __builtin_inf() || n * __nv_log(n * 0.73575888234288464 / a) > 760.0) {
		value = 0.0;
	} else if (a * a < 1e-16 * (n + 1.0)) {
		value = 1.0;
		for (int k = 1; k <= n; k++)
			value *= 0.5 * a / k;
	} else if (a > n) {
		low = __nv_j0(a);
		value = __nv_j1(a);
		for (int k = 1; k < n; k++) {
			high = k * by * value - low;
			low = value;
			value = high;
		}
	} else {
		long long k = n + (long long)__builtin_sqrt(160.0 * n);
		high = 0.0;
		low = 1.0;
		for (k += k & 1; k > 0; k--) {
			const double next = k * by * low - high;
			high = low;
			low = next;
			if (k == n)
				value = high;
			if (k & 1)
				sum += low;
			if (__builtin_fabs(low) > 1e100) {
				low *= 1e-100;
				high *= 1e-100;
				value *= 1e-100;
				sum *= 1e-100;
			}
		}
		value /= 2.0 * sum - low;
	}
	return x < 0 && (n & 1) ? -value : value;
}
/* Upwards, until it is infinite. */
WT_FN double __nv_yn(int n, double x)
{
	double low, value;

	if (n < 0)
		return __builtin_nan("");
	WT_BESSEL_EDGES(x);
	low = __nv_y0(x);
	if (n == 0)
		return low;
	value = __nv_y1(x);
	for (int k = 1; k < n && value > -__builtin_inf(); k++) {
		const double high = k * (2.0 / x) * value - low;
		low = value;
		value = high;
	}
	return value;
}
#undef WT_BESSEL_EDGES

/* ---- modified, of the first kind ---- */

/* Up to 8 by their series, all of whose terms have one sign. */
WT_IN double wt_bessel_series(double x, int order)
{
	const double z = 0.25 * x * x;
	double p = 1.0;
	for (int k = 24; k > 0; k--)
		p = __builtin_fma(p, z / (k * (k + order)), 1.0);
	return p;
}
/* e^x / sqrt x, times v; e^x alone is too large before this is. */
WT_IN double wt_bessel_growth(double x, double v)
{
	if (x > 714.0)
		return __builtin_inf();
	v /= __builtin_sqrt(x);
	if (x < 700.0)
		return v * __nv_exp(x);
	return v * __nv_exp(x - 64.0) * 6.235149080811617e27;
}
WT_FN double __nv_cyl_bessel_i0(double x)
{
	const double a = __builtin_fabs(x), t = 8.0 / a - 0.5;
	if (!(a > 8.0))
		return wt_bessel_series(a, 0);
	const double p = wt_poly(t, 0.4021765094450081, 0.0067211039673357835, 0.0005448642975580827,
		8.914427030719275e-05, 2.3741562845422666e-05, 9.515517513091408e-06,
		5.678089600316837e-06, 5.03361345710434e-06, 5.521349622475599e-06,
		3.87045898427602e-06, -7.0208660311773205e-06, -2.750064238245534e-05,
		-2.0554184321546273e-05, 6.227327642721661e-05, 0.00010687732406572318,
		-0.0001176009853190835, -0.00029699827780895534, 0.00021122610890881923,
		0.0005674529544438569, -0.0003329261028519, -0.0006814571726092906,
		0.0003730836378117221, 0.0003826406070678344, -0.00020625613000710928);
	return wt_bessel_growth(a, p);
}
WT_FN double __nv_cyl_bessel_i1(double x)
{
	const double a = __builtin_fabs(x), t = 8.0 / a - 0.5;
	if (!(a > 8.0))
		return 0.5 * x * wt_bessel_series(a, 1);
	const double p = wt_poly(t, 0.38939845902587233, -0.01949915438647153, -0.0008769430553255355,
		-0.00012030837758533716, -2.9358563986271207e-05, -1.1148340356185708e-05,
		-6.4006882989642065e-06, -5.520445355414881e-06, -5.988886439552015e-06,
		-4.317337194310317e-06, 7.0117435143023715e-06, 2.8779111383015024e-05,
		2.2825137089368133e-05, -6.298632277853698e-05, -0.00011379412943413092,
		0.00011483405040349898, 0.000312283051417869, -0.00019987805346855135,
		-0.0005933456715163812, 0.00030898626387713675, 0.0007106304576585246,
		-0.0003434662159855021, -0.000398463451410277, 0.00018951498410895817);
	return __builtin_copysign(wt_bessel_growth(a, p), x);
}

WT_FN float __nv_jnf(int n, float x)
{
	return (float)__nv_jn(n, (double)x);
}
WT_FN float __nv_ynf(int n, float x)
{
	return (float)__nv_yn(n, (double)x);
}

#endif
