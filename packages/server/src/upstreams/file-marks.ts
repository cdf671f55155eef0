/** Bytes by which a kind of file is known, as Latin-1 text, and where they are. */
export type FileMark = readonly [at: number, text: string]

/** Whether the beginning of a file, as Latin-1 text, has all of these marks. */
export function hasMarks(head: string, marks: readonly FileMark[]): boolean {
  return marks.every(([at, text]) => head.startsWith(text, at))
}
