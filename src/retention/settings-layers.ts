/**
 * How long Claude Code keeps sessions, out of all the settings files that have a say. They are handed in as they
 * were read; nothing here looks at a disk.
 */

/** Strongest first. */
export const layerNames = [
  "managed",
  "command-line",
  "project-local",
  "project",
  "user-local",
  "user",
] as const;
export type LayerName = (typeof layerNames)[number];

/** One settings file as it was found. `place` names it: a path, or where in it something is wrong. */
export interface SettingsLayer {
  readonly name: LayerName;
  readonly path: string;
  readonly content:
    | { readonly kind: "absent" }
    /** `days` as it stands there: undefined where it does not. */
    | { readonly kind: "parsed"; readonly days: unknown }
    | { readonly kind: "broken"; readonly place: string; readonly what: string };
}

/** Why nothing is swept though a number of days is known. As Claude Code calls it since 2.1.227. */
export interface PausedSweep {
  readonly reason: "settings_unknowable" | "settings_invalid_key_set";
  readonly place: string;
  readonly what: string;
}

export interface EffectiveRetention {
  readonly days: number;
  /** The path of the file that decides; `default` where none does. */
  readonly from: string;
  readonly layer: LayerName | "default";
  /** An administrator decided; nobody else can. */
  readonly managed: boolean;
  /** Versions before 2.1.227 do not pause: they leave out the file that is wrong, and sweep after `days`. */
  readonly paused: PausedSweep | undefined;
}

export const DEFAULT_DAYS = 30;

/** The days that apply, and where they come from. Where layers of one kind are several, the first given wins. */
export function effectiveRetention(layers: readonly SettingsLayer[]): EffectiveRetention {
  const ordered = layers.toSorted((a, b) => layerNames.indexOf(a.name) - layerNames.indexOf(b.name));
  const winner = ordered.find(({ content }) => content.kind === "parsed" && isDays(content.days));
  const managed = winner?.name === "managed";
  return {
    days:
      winner?.content.kind === "parsed" && isDays(winner.content.days) ? winner.content.days : DEFAULT_DAYS,
    from: winner?.path ?? "default",
    layer: winner?.name ?? "default",
    managed,
    // A managed value always applies.
    paused: managed ? undefined : pausedBy(ordered),
  };
}

function pausedBy(layers: readonly SettingsLayer[]): PausedSweep | undefined {
  for (const { content } of layers) {
    if (content.kind === "broken") {
      return { reason: "settings_unknowable", place: content.place, what: content.what };
    }
  }
  for (const { content, path } of layers) {
    if (content.kind === "parsed" && content.days !== undefined && !isDays(content.days)) {
      const what = `cleanupPeriodDays must be a whole number from 1, and is ${JSON.stringify(content.days)}`;
      return { reason: "settings_invalid_key_set", place: path, what };
    }
  }
  return undefined;
}

/** 0 is none: it is an error since 2.1.89, and kept transcripts from being written before. */
export function isDays(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}
