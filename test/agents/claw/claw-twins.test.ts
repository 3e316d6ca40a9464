import { claw } from "../../../src/agents/claw/claw.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(claw, 18);
