/* Texture references and objects; surfaces. */
