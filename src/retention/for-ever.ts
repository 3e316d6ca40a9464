/** Whether a period of so many days is as good as for ever: a century. */
export function isForEver(days: number): boolean {
  return days >= 36_500;
}
