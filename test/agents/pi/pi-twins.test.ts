import { piFormat } from "../../../src/agents/pi/pi.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(piFormat, 17);
