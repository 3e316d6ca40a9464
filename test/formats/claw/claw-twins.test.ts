import { clawFormat } from "../../../src/formats/claw/claw-format.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(clawFormat, 18);
