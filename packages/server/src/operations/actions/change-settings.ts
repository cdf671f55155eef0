import {
  type GatewaySettings,
  readGatewaySettings,
  readSettingFacts,
  type SettingChanges,
  type SettingFacts,
  type SettingName,
  type SettingsDeps,
  writeGatewaySettings,
} from '../../access/operators/gateway-settings.ts'
import { type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { Writing } from './operations-deps.ts'

export interface ChangeSettingsDeps extends JournalDeps, Writing<'settings'> {
  readonly settings: SettingsDeps
}

export interface ShownSettings {
  readonly settings: GatewaySettings
  /** What holds where nothing is set. */
  readonly defaults: GatewaySettings
  readonly facts: SettingFacts
}

/** What is set, what would hold otherwise, and who set it when. */
export async function showSettings({ settings: deps }: Pick<ChangeSettingsDeps, 'settings'>): Promise<ShownSettings> {
  const [settings, facts] = await Promise.all([readGatewaySettings(deps), readSettingFacts(deps)])
  return { settings, defaults: deps.defaults, facts }
}

/** The journal records long texts by their length: the settings themselves hold them. */
const TOLD_LENGTH_MAX = 200

function told(value: unknown): unknown {
  return typeof value === 'string' && value.length > TOLD_LENGTH_MAX ? `${value.length} characters` : value
}

/** Changes settings, all or none, with an entry in the journal that says what each was and is. */
export async function changeSettings(deps: ChangeSettingsDeps, by: Operator, changes: SettingChanges): Promise<void> {
  const before = await readGatewaySettings(deps.settings)
  const names = Object.keys(changes) as SettingName[]
  const details = Object.fromEntries(
    names.map((name) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      { from: told(before[name]), to: told(changes[name] ?? deps.settings.defaults[name]) },
    ]),
  )
  await keepJournal(
    deps,
    by,
    { action: 'settings.change', details },
    {
      work: () => writeGatewaySettings(deps.writesOf(by).settings, changes, { name: by.name, now: deps.clock.now() }),
      outcomeOf: () => (names.length === 0 ? 'unchanged' : 'done'),
    },
  )
}
