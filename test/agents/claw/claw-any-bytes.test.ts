import { clawFormat } from "../../../src/agents/claw/claw-format.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(clawFormat);
