/** What every bundle exports; the launcher loads one and calls it. */
export interface Bundle {
  /** Runs the command line of a process. False: nothing was done or printed, and the main bundle has to do it. */
  run(host: NodeJS.Process): Promise<boolean>;
}
