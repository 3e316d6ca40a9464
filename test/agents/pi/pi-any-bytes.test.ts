import { pi } from "../../../src/agents/pi/pi.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(pi);
