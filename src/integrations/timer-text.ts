import { shellQuote } from "../render/words.ts";
import { placesIn } from "./place-variables.ts";

export const timers = ["cron", "systemd", "launchd"] as const;
export type Timer = (typeof timers)[number];

/** The program that a timer runs, and the variables of the user who sets it up. */
export interface TimerOptions {
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The text of a timer that archives unsafe sessions every ten minutes, for agents without hooks. */
export function timerText(timer: Timer, { program, variables }: TimerOptions): string {
  const line = [program.command, ...program.args, "guard"];
  const places = placesIn(variables);
  return { cron: cronText, systemd: systemdText, launchd: launchdText }[timer](line, places);
}

type Pairs = readonly (readonly [string, string])[];

function cronText(line: readonly string[], places: Pairs): string {
  const words = [...places.map(([name, value]) => `${name}=${shellQuote([value])}`), shellQuote(line)];
  return [
    "# Add this line with `crontab -e`.",
    // An unescaped per cent sign would end the command.
    `*/10 * * * * ${words.join(" ").replaceAll("%", "\\%")} >/dev/null 2>&1`,
    "",
  ].join("\n");
}

function systemdText(line: readonly string[], places: Pairs): string {
  return [
    "# ~/.config/systemd/user/sessions-guard.service",
    "[Unit]",
    "Description=Archive coding sessions",
    "[Service]",
    "Type=oneshot",
    "Nice=10",
    ...places.map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
    `ExecStart=${line.map(systemdWord).join(" ")}`,
    "",
    "# ~/.config/systemd/user/sessions-guard.timer",
    "[Timer]",
    "OnCalendar=*:0/10",
    "Persistent=true",
    "[Install]",
    "WantedBy=timers.target",
    "",
    "# Then: systemctl --user enable --now sessions-guard.timer",
    "",
  ].join("\n");
}

function launchdText(line: readonly string[], places: Pairs): string {
  const environment =
    places.length === 0
      ? []
      : [
          "  <key>EnvironmentVariables</key>",
          "  <dict>",
          ...places.map(([name, value]) => `    <key>${name}</key><string>${xmlText(value)}</string>`),
          "  </dict>",
        ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<!-- ~/Library/LaunchAgents/sessions.guard.plist",
    "     Then: launchctl load ~/Library/LaunchAgents/sessions.guard.plist -->",
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key><string>sessions.guard</string>",
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...line.map((word) => `    <string>${xmlText(word)}</string>`),
    "  </array>",
    ...environment,
    "  <key>StartInterval</key><integer>600</integer>",
    "  <key>ProcessType</key><string>Background</string>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

/** Escapes characters that systemd expands, including per cent and dollar signs. */
function systemdWord(word: string): string {
  const plain = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, "\\$&")}"`;
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
