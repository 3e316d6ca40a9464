import { pi } from "../../../src/agents/pi/pi.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(pi, 17);
