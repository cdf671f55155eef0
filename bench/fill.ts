/** `npm run fill`: an empty database becomes that of a gateway with a past, to measure how it has grown. */
import { readOptions } from '../packages/server/src/app/read-options.ts'
import { requiredText, someText, wholeNumber } from '../packages/server/src/platform/runtime/program-options.ts'
import { writeLine } from '../packages/server/src/platform/runtime/write-line.ts'
import { fillHistory } from './fill-history.ts'
import { createPastKeys } from './past-keys.ts'

const DAY_MS = 86_400_000

const options = readOptions({
  name: 'npm run fill --',
  does: 'Fills an empty database with requests, as a gateway would have them that has served for so many days.',
  options: {
    requests: wholeNumber({ help: 'how many there are', otherwise: 100_000, from: 1 }),
    accounts: wholeNumber({ help: 'whose, each with two keys', otherwise: 1_000, from: 1 }),
    days: wholeNumber({ help: 'over how long they are spread', otherwise: 365, from: 1 }),
    'data-dir': requiredText('folder', { help: 'data folder of the gateway' }),
    database: someText('url', { help: 'a PostgreSQL database, as a superuser; without it, embedded storage' }),
  },
})
const { requests, accounts, days } = options
const url = options.database
const place = { engine: url === null ? 'sqlite' : 'postgres', url, dataDir: options['data-dir'] } as const
const to = Date.now() - 60_000
const from = to - days * DAY_MS
const keys = await createPastKeys(place, { accounts, at: from, pepper: process.env['SVC_KEY_PEPPER'] ?? '' })
let done = 0
await fillHistory(
  place,
  keys.map(({ keyId }) => keyId),
  { requests, from, to },
  (more) => {
    done += more
    writeLine(process.stderr, `${done} requests`)
  },
)
writeLine(process.stdout, JSON.stringify({ busiest: keys[0] }))
