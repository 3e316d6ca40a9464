import { claw } from "../../../src/agents/claw/claw.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(claw);
