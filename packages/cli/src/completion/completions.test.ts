import { describe, expect, test } from 'vitest'
import { createProgram } from '../program.ts'
import { completions } from './completions.ts'

const program = createProgram(() => Promise.resolve(), '0')
const complete = (...words: string[]): string[] => completions(program, words)

describe('completions', () => {
  test('commands, but not those that people never type', () => {
    expect(complete('')).toContain('chat')
    expect(complete('')).not.toContain('__complete')
    expect(complete('ba')).toEqual(['balance'])
    expect(complete('profiles', '')).toEqual(['use'])
  })

  test('options of the command and of every command', () => {
    expect(complete('chat', '--ma')).toEqual(['--max-tokens'])
    expect(complete('chat', '--js')).toEqual(['--json'])
  })

  test('values that an option takes', () => {
    expect(complete('models', '--type', 'i')).toEqual(['image'])
    expect(complete('models', '--sort', '')).toEqual(['name', 'price', 'context'])
    expect(complete('completion', 'f')).toEqual(['fish'])
  })

  test('files where a file is meant', () => {
    expect(complete('chat', '--image', '')).toEqual(['__files__'])
  })
})
