import { opencode } from "../../../src/agents/opencode/opencode.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(opencode, 13);
