/** The kinds of document that a session can be exported as. */
export const exportFormats = ["md", "html", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];
