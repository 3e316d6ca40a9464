import { piFormat } from "../../../src/agents/pi/pi-format.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(piFormat);
