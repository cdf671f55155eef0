/**
 * A yes or no of a form in small letters, as most clients write it: those in Python write `True`. Other texts stay as
 * they are.
 */
export function formFlag(text: string): string {
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : text
}
