import { expect, test } from 'vitest'
import { chatBodyOf, sizeOf } from './chat-request.ts'
import {
  addAnswer,
  addTurn,
  afterReload,
  answersOf,
  branchAt,
  changeAnswer,
  type Conversation,
  emptyAnswer,
  emptyConversation,
  pathOf,
  showAnswer,
  showTurn,
  siblingsOf,
  titleOf,
} from './conversation.ts'
import { scriptedReplies, settingsProblem, withReplies } from './tool-rounds.ts'

const said = (text: string) => ({ ...emptyAnswer(`a-${text}`, 'm'), text, state: 'done' as const })

function talk(...texts: string[]): Conversation {
  let conversation = emptyConversation('c', ['one'])
  for (const text of texts) {
    conversation = addTurn(conversation, { id: text, text, images: [] })
    conversation = addAnswer(conversation, text, 0, said(`re ${text}`))
  }
  return conversation
}

const textsOf = (conversation: Conversation, lane = 0): unknown[] =>
  chatBodyOf(conversation, lane).messages.map(({ content }) => content)

test('a request holds the system prompt and everything that was said before', () => {
  const conversation = addTurn(talk('a', 'b'), { id: 'c', text: 'c', images: [] })
  const withSystem = { ...conversation, parameters: { ...conversation.parameters, system: 'Be brief.' } }
  expect(textsOf(withSystem)).toEqual(['Be brief.', 'a', 're a', 'b', 're b', 'c'])
})

test('parameters that are not set are not sent', () => {
  const conversation = addTurn(emptyConversation('c', ['m']), { id: 'a', text: 'a', images: [] })
  expect(Object.keys(chatBodyOf(conversation, 0))).toEqual(['model', 'messages'])
  const set = { system: '', temperature: 0, topP: 0.5, maxTokens: 10, seed: 0, format: 'json' as const }
  const parameters = { ...conversation.parameters, ...set }
  expect(chatBodyOf({ ...conversation, parameters }, 0)).toMatchObject({
    temperature: 0,
    top_p: 0.5,
    max_tokens: 10,
    seed: 0,
    response_format: { type: 'json_object' },
  })
})

test('an edited message is a branch beside the first, and both can be shown', () => {
  const first = talk('a', 'b')
  const turn = first.turns['b']
  const edited = addTurn(first, { id: 'b2', text: 'b2', images: [] }, turn?.parent ?? null)
  expect(pathOf(edited).map(({ id }) => id)).toEqual(['a', 'b2'])
  expect(siblingsOf(edited, edited.turns['b2']!).map(({ id }) => id)).toEqual(['b', 'b2'])
  expect(textsOf(edited)).toEqual(['a', 're a', 'b2'])
  expect(pathOf(showTurn(edited, 'b')).map(({ id }) => id)).toEqual(['a', 'b'])
  // From the first message on, the newest branch is shown.
  expect(pathOf(showTurn(edited, 'a')).map(({ id }) => id)).toEqual(['a', 'b2'])
})

test('after a retry the newer answer goes on, or the older one when it is chosen', () => {
  const twice = addAnswer(talk('a'), 'a', 0, { ...said('other'), id: 'second' })
  const next = addTurn(twice, { id: 'b', text: 'b', images: [] })
  expect(textsOf(next)).toEqual(['a', 'other', 'b'])
  expect(textsOf(showAnswer(next, 'a', 0, 0))).toEqual(['a', 're a', 'b'])
})

test('each lane hears its own answers, and a lane that came later those of the first', () => {
  const two = { ...addAnswer({ ...talk('a'), models: ['one', 'two'] }, 'a', 1, { ...said('mine'), id: 'x' }) }
  const next = addTurn({ ...two, models: ['one', 'two', 'three'] }, { id: 'b', text: 'b', images: [] })
  expect([0, 1, 2].map((lane) => textsOf(next, lane)[1])).toEqual(['re a', 'mine', 're a'])
  expect(chatBodyOf(next, 2).model).toBe('three')
})

test('a branch of its own holds what was said up to there and leaves the first as it is', () => {
  const whole = talk('a', 'b', 'c')
  const branch = branchAt(whole, 'b', 'new')
  expect(pathOf(branch).map(({ id }) => id)).toEqual(['a', 'b'])
  expect(branch.id).toBe('new')
  expect(pathOf(whole)).toHaveLength(3)
})

test('what ran when the page was left is cut, and keeps what had come', () => {
  const running = changeAnswer(talk('a'), 'a-re a', (answer) => ({ ...answer, state: 'running' }))
  expect(answersOf(afterReload(running))).toMatchObject([{ state: 'cut', text: 're a' }])
})

test('images go as parts, and are counted beside the text', () => {
  const images = [{ name: 'a.png', url: `data:image/png;base64,${'A'.repeat(1_000)}` }]
  const conversation = addTurn(emptyConversation('c', ['m']), { id: 'a', text: '', images })
  const body = chatBodyOf(conversation, 0)
  expect(body.messages[0]?.content).toEqual([{ type: 'image_url', image_url: { url: images[0]?.url } }])
  const { bytes, characters, input_images: count } = sizeOf(body)
  expect({ characters, count }).toEqual({ characters: 0, count: 1 })
  expect(bytes).toBeLessThan(200)
  expect(titleOf(conversation)).toBe('An attachment')
})

const dataUrl = (type: string, text: string): string => `data:${type};base64,${btoa(text)}`

test('files go as the parts that models read: documents, recordings, and texts inside of the message', () => {
  const images = [
    { name: 'a.pdf', url: dataUrl('application/pdf', '%PDF') },
    { name: 'b.mp3', url: dataUrl('audio/mpeg', 'ID3') },
    { name: 'c.md', url: dataUrl('text/plain', '```\ncode\n```') },
  ]
  const body = chatBodyOf(addTurn(emptyConversation('c', ['m']), { id: 'a', text: 'Read.', images }), 0)
  expect(body.messages[0]?.content).toEqual([
    { type: 'text', text: 'Read.' },
    { type: 'file', file: { filename: 'a.pdf', file_data: images[0]?.url } },
    { type: 'input_audio', input_audio: { data: btoa('ID3'), format: 'mp3' } },
    { type: 'text', text: 'c.md:\n````\n```\ncode\n```\n````' },
  ])
})

const TOOL = { name: 'add', description: '', parameters: '{"type":"object"}', reply: '3' }

test('tools are offered, and what they replied is said in the next turn', () => {
  const call = { id: 'c1', name: 'add', arguments: '{"a":1}' }
  const called = { ...said('It is 3.'), rounds: [] }
  const answer = withReplies({ ...called, text: 'Let me add.', calls: [call] }, ['3'])
  expect(answer).toMatchObject({ state: 'running', text: '', calls: [], rounds: [{ replies: ['3'] }] })
  let conversation = addTurn(emptyConversation('c', ['one']), { id: 'a', text: 'Add.', images: [] })
  conversation = addAnswer(conversation, 'a', 0, { ...answer, text: 'It is 3.', state: 'done' })
  conversation = addTurn(conversation, { id: 'b', text: 'And now?', images: [] })
  const parameters = { ...conversation.parameters, tools: [TOOL], effort: 'low' as const }
  expect(chatBodyOf({ ...conversation, parameters }, 0)).toMatchObject({
    reasoning_effort: 'low',
    tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
    messages: [
      { role: 'user', content: 'Add.' },
      { role: 'assistant', content: 'Let me add.', tool_calls: [{ id: 'c1', function: { arguments: '{"a":1}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '3' },
      { role: 'assistant', content: 'It is 3.' },
      { role: 'user', content: 'And now?' },
    ],
  })
})

test('an answer goes on by itself only where every call has a written reply', () => {
  const calls = [{ id: 'c1', name: 'add', arguments: '{}' }]
  const answer = { ...said(''), calls }
  expect(scriptedReplies(answer, [TOOL])).toEqual(['3'])
  expect(scriptedReplies({ ...answer, state: 'running' }, [TOOL])).toBeNull()
  expect(scriptedReplies(answer, [{ ...TOOL, reply: null }])).toBeNull()
  expect(
    scriptedReplies({ ...answer, calls: [...calls, { id: 'c2', name: 'other', arguments: '' }] }, [TOOL]),
  ).toBeNull()
})

test('what is wrong with the settings is said before anything is asked', () => {
  const { parameters } = emptyConversation('c', ['m'])
  expect(settingsProblem(parameters)).toBeNull()
  expect(settingsProblem({ ...parameters, format: 'schema', schema: '{"type":' })).toContain('JSON Schema')
  expect(settingsProblem({ ...parameters, tools: [{ ...TOOL, name: 'no name' }] })).toContain('no name')
  expect(settingsProblem({ ...parameters, format: 'schema', schema: '{}', tools: [TOOL] })).toBeNull()
})

test('a conversation that an older page kept has what it did not know', () => {
  const { effort: _effort, tools: _tools, schema: _schema, ...old } = emptyConversation('c', ['m']).parameters
  const { rounds: _rounds, calls: _calls, ...answer } = said('Hi')
  const turn = { id: 'a', parent: null, text: 'Hello', images: [], lanes: [[answer]], shown: [0] }
  const kept = { ...emptyConversation('c', ['m']), parameters: old, turns: { a: turn }, head: 'a' }
  const read = afterReload(kept as unknown as Conversation)
  expect(read.parameters).toMatchObject({ effort: null, tools: [], schema: '' })
  expect(answersOf(read)[0]).toMatchObject({ text: 'Hi', rounds: [], calls: [] })
})
