import { ownMember } from '@svc/contract'

/**
 * A yes or no of a form in small letters, as most clients write it: those in Python write `True`. Other texts stay as
 * they are.
 */
export function formFlag(text: string): string {
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : text
}

const truths: Readonly<Record<string, boolean>> = { true: true, false: false }

/** The same as the value that JSON would have; another text stays one, for the schema to refuse. */
export function formTruth(text: string): boolean | string {
  return ownMember(truths, formFlag(text)) ?? text
}
