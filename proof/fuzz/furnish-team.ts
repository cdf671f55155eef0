/** Something of everything that a team's pages show, in the team of the person who asks for the console's rows. */
import { modelsFor } from './fuzz-models.ts'
import type { ConsolePerson } from './console-person.ts'

const CREDITS = '1000000'
const QUESTIONS = 32
const GUESTS = 8

interface Accounts {
  readonly data: readonly { readonly id: string }[]
}

/** Gives the team credits, a key, requests that were made with it, and invitations. What the upstream fails, fails. */
export async function furnishTeam({ teamId, json }: ConsolePerson, port: number): Promise<void> {
  const { data } = await json<Accounts>('GET', `/console/operator/accounts?q=${teamId}`)
  const credits = { kind: 'grant', credits: CREDITS, reason: 'Something to spend', id: 'fuzz:grant' }
  await json('POST', `/console/operator/accounts/${data[0]?.id}/credits`, credits)
  const { key } = await json<{ readonly key: string }>('POST', `/console/teams/${teamId}/keys`, { name: 'fuzz' })
  const models = modelsFor('createChatCompletion')
  const ask = async (turn: number): Promise<void> => {
    const messages = [{ role: 'user', content: `Boat ${turn}?` }]
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: models[turn % models.length], messages, max_tokens: 50 }),
    })
    await response.arrayBuffer()
  }
  await Promise.all(Array.from({ length: QUESTIONS }, (_none, turn) => ask(turn)))
  for (let guest = 0; guest < GUESTS; guest++) {
    await json('POST', `/console/teams/${teamId}/invitations`, { email: `guest${guest}@example.com`, role: 'viewer' })
  }
}
