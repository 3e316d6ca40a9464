import { clawFormat } from "../../../src/formats/claw/claw-format.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(clawFormat);
