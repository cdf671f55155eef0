/** Makes some of everything before a run, so that there is something to ask after: jobs, pictures, records. */
import { modelsFor } from './fuzz-models.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import type { KnownNames } from './known-names.ts'

interface FirstDeps {
  readonly target: FuzzTarget
  readonly port: number
  readonly rawKey: string
  readonly known: KnownNames
}

/** What is sent, beside the model. A number tells one from the other. */
const questions: readonly (readonly [string, (number: number) => object])[] = [
  ['createVideo', (number) => ({ prompt: `A boat ${number}`, duration: 4 })],
  ['createImage', (number) => ({ prompt: `A boat ${number}`, response_format: 'url' })],
  ['createChatCompletion', (number) => ({ messages: [{ role: 'user', content: `Boat ${number}?` }], max_tokens: 50 })],
]
const TURNS = 6

/** Sends them; what fails, fails. */
export async function makeFirstThings({ target, port, rawKey, known }: FirstDeps): Promise<void> {
  const asks = questions.flatMap(([id, bodyOf]) => {
    const operation = target.operations.find((each) => each.id === id)
    if (operation === undefined) return []
    const models = modelsFor(id)
    return Array.from({ length: TURNS }, async (_none, turn) => {
      const response = await fetch(`http://127.0.0.1:${port}/api${operation.path}`, {
        method: operation.method,
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: models[turn % models.length], ...bodyOf(turn) }),
      })
      const body = Buffer.from(await response.arrayBuffer())
      known.learn(operation, {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body,
        length: 0,
      })
    })
  })
  await Promise.all(asks)
}
