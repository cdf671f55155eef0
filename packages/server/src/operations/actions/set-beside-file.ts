/** Settings that operators make beside the configuration file. Source: decisions 0172 and 0177. */
import { type JournalDeps, type JournaledAction, keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { Writing } from './operations-deps.ts'

export interface SettingBesideFile {
  readonly name: string
  /** Null removes it. */
  readonly value: string | null
}

/** Writes one setting, with its entry in the journal, and has this process go by it. @param follow what does so. */
export async function setBesideFile(
  deps: JournalDeps & Writing<'settings'>,
  by: Operator,
  { name, value }: SettingBesideFile,
  { entry, follow }: { readonly entry: JournaledAction; readonly follow: () => Promise<void> },
): Promise<void> {
  await keepJournal(deps, by, entry, {
    work: () => deps.writesOf(by).settings.writeSettings(new Map([[name, value]]), by.name, deps.clock.now()),
    outcomeOf: () => 'done',
  })
  await follow()
}
