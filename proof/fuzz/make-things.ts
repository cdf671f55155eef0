/** Makes some of everything, so that there is something to ask after: jobs, images, records. */
import { modelsFor } from './fuzz-models.ts'
import type { FuzzTarget, Operation } from './fuzz-target.ts'
import type { KnownNames } from './known-names.ts'

interface ThingsDeps {
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
const TURNS = 16

const ID = /"id":"([^"]+)"/

/** Sends one request, and takes in what its answer names. @returns its body. */
async function ask(deps: ThingsDeps, operation: Operation, request: { path: string; body: object | null }) {
  const response = await fetch(`http://127.0.0.1:${deps.port}/api${request.path}`, {
    method: operation.method,
    headers: { authorization: `Bearer ${deps.rawKey}`, 'content-type': 'application/json' },
    ...(request.body === null ? {} : { body: JSON.stringify(request.body) }),
  })
  const body = Buffer.from(await response.arrayBuffer())
  const headers = Object.fromEntries(response.headers)
  deps.known.learn(operation, { status: response.status, headers, body, length: 0 }, request.path)
  return body.toString('utf8')
}

/** Sends them; what fails, fails. Jobs are polled once, since a completed one says where its file is. */
export async function makeThings(deps: ThingsDeps): Promise<void> {
  const find = (id: string): Operation | undefined => deps.target.operations.find((each) => each.id === id)
  const getVideo = find('getVideo')
  const asks = questions.flatMap(([id, bodyOf]) => {
    const operation = find(id)
    if (operation === undefined) return []
    const models = modelsFor(id)
    return Array.from({ length: TURNS }, async (_none, turn) => {
      const body = { model: models[turn % models.length], ...bodyOf(turn) }
      const job = ID.exec(await ask(deps, operation, { path: operation.path, body }))?.[1]
      if (id !== 'createVideo' || job === undefined || getVideo === undefined) return
      await ask(deps, getVideo, { path: `/v1/videos/${job}`, body: null })
    })
  })
  await Promise.all(asks)
}
