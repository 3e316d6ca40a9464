import { opencode } from "../../../src/agents/opencode/opencode.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(opencode);
