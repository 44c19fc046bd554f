// Stored pages: on a telephone the facets are folded away until somebody opens them.
import { byId } from "./app.js";

if (matchMedia("(max-width: 760px)").matches) byId("facets").open = false;
