import { render } from "preact";
import { takeToken } from "./api.ts";
import { App } from "./app.tsx";
import { applyTheme } from "./theme.ts";

takeToken();
applyTheme();
render(<App />, document.body);
