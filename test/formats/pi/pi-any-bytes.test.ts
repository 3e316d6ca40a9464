import { piFormat } from "../../../src/formats/pi/pi-format.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(piFormat);
