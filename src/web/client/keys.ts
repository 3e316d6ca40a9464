/** Whether the key belongs to a text field, a dialog or the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest("dialog") !== null;
}
