/** Faults that make sense for an answer without text. */
import { type SandboxFault, sandboxFaults } from './faults.ts'

export const PROMPT_FAULTS = [
  ...['400', '402', '429', '500', '503', 'moderated', 'too-long', 'html-error', 'html-200', 'error-200', 'hang'],
  ...['cut', 'empty', 'no-usage', 'late-usage', 'no-cost', 'slow'],
] as const

const byName = new Map(sandboxFaults.map((fault) => [fault.name, fault]))

/** Finds the fault of a scripted model, such as `embedding-500`; null where it has none. @param kind as `embedding`. */
export function findPromptFault(name: string, kind: string): SandboxFault | null {
  const fault = PROMPT_FAULTS.find((known) => name === `${kind}-${known}`)
  return fault === undefined ? null : (byName.get(fault) ?? null)
}
