import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { modelTypes } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../program.ts'
import { COMMAND_MODELS, completions, type LineOptions } from './completions.ts'

const program = createProgram(() => Promise.resolve(), '0')
const asked: LineOptions[] = []
const known = {
  profiles: () => ['home', 'work'],
  models: (options: LineOptions) => {
    asked.push(options)
    return Promise.resolve([
      { id: 'svc-gpt', type: 'text' },
      { id: 'openrouter/x/speaks:free', type: 'speech', voices: ['anna', 'bert'] },
      { id: 'openrouter/y/speaks', type: 'speech', voices: ['carl', 'anna'] },
      { id: 'svc-image', type: 'image' },
    ])
  },
}
const complete = (...words: string[]): Promise<string[]> => completions(program, words, known)

describe('completions', () => {
  test('commands, but not those that people never type', async () => {
    expect(await complete('')).toContain('chat')
    expect(await complete('')).not.toContain('__complete')
    expect(await complete('ba')).toEqual(['balance'])
    expect(await complete('profiles', '')).toEqual(['use'])
  })

  test('options of the command and of every command', async () => {
    expect(await complete('chat', '--ma')).toEqual(['--max-tokens', '--max-credits'])
    expect(await complete('chat', '--js')).toEqual(['--json'])
    expect(await complete('deposit', 'address', '--prof')).toEqual(['--profile'])
  })

  test('values that an option takes, also behind an equals sign', async () => {
    expect(await complete('models', '--type', 'i')).toEqual(['image'])
    expect(await complete('models', '--type=i')).toEqual(['--type=image'])
    expect(await complete('models', '--sort', '')).toEqual(['name', 'price', 'context'])
    expect(await complete('completion', 'f')).toEqual(['fish'])
    expect(await complete('chat', '--json=x')).toEqual([])
  })

  test('files where a file is meant', async () => {
    expect(await complete('chat', '--image', '')).toEqual(['__files__'])
    expect(await complete('speak', '--output=a')).toEqual(['__files__'])
  })

  test('models of the kind that the command takes', async () => {
    expect(await complete('chat', '-m', '')).toEqual(['svc-gpt'])
    expect(await complete('speak', '--model', 'openrouter/')).toEqual([
      'openrouter/x/speaks:free',
      'openrouter/y/speaks',
    ])
    expect(await complete('speak', '--model=openrouter/x')).toEqual(['--model=openrouter/x/speaks:free'])
    expect(await complete('price', '-m', 'svc-')).toEqual(['svc-gpt', 'svc-image'])
    expect(await complete('models', 'svc-i')).toEqual(['svc-image'])
    expect(await complete('price', 'svc-i')).toEqual(['svc-image'])
    expect(await complete('video', '-m', '')).toEqual([])
  })

  test('voices of the model that the line names, else of all that speak', async () => {
    expect(await complete('speak', '--voice', '')).toEqual(['anna', 'bert', 'carl'])
    expect(await complete('speak', '-m', 'openrouter/y/speaks', '--voice', '')).toEqual(['carl', 'anna'])
    expect(await complete('voices', 'openrouter/y')).toEqual(['openrouter/y/speaks'])
  })

  test('models of the gateway that the line names, and the profiles that there are', async () => {
    asked.length = 0
    await complete('--profile', 'work', 'chat', '--base-url=https://ai.example.com/api', '-m', '')
    expect(asked).toEqual([{ profile: 'work', baseUrl: 'https://ai.example.com/api' }])
    expect(await complete('chat', '--profile', 'w')).toEqual(['work'])
    expect(await complete('profiles', 'use', '')).toEqual(['home', 'work'])
  })

  test('every command with a model has its kind', () => {
    const commands: CommandUnknownOpts[] = [...program.commands]
    const withModel = commands.filter(({ options }) => options.some(({ long }) => long === '--model'))
    expect(Object.keys(COMMAND_MODELS).toSorted()).toEqual(
      [...withModel.map((each) => each.name()), 'models', 'voices'].toSorted(),
    )
    const kinds: readonly string[] = modelTypes
    for (const type of Object.values(COMMAND_MODELS)) expect(type === null || kinds.includes(type)).toBe(true)
  })
})
