import { clawFormat } from "../../../src/agents/claw/claw.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(clawFormat, 18);
