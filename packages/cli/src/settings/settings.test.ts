import { describe, expect, test } from 'vitest'
import { CommandError } from '../command-error.ts'
import type { ProfileFile } from './profile-file.ts'
import { checkedBaseUrl, DEFAULT_BASE_URL, resolveSettings } from './settings.ts'

const file: ProfileFile = {
  current: 'home',
  keepsHistory: true,
  profiles: {
    home: { baseUrl: 'https://home.example/api', key: 'sk-svc-home', model: null },
    work: { baseUrl: 'https://work.example/api', key: 'sk-svc-work', model: 'svc-claude' },
  },
}
const none: ProfileFile = { current: 'default', profiles: {}, keepsHistory: true }

describe('resolveSettings', () => {
  test('without anything it is the gateway of this machine, signed out', () => {
    expect(resolveSettings({ environment: {}, file: none })).toEqual({
      baseUrl: DEFAULT_BASE_URL,
      key: null,
      keySource: null,
      profile: 'default',
      model: null,
    })
  })

  test('a gateway of this machine is on the port that SVC_PORT says, and no other gateway is', () => {
    const at = (port: string, profiles: ProfileFile) =>
      resolveSettings({ environment: { SVC_PORT: port }, file: profiles })
    const local: ProfileFile = {
      current: 'local',
      keepsHistory: true,
      profiles: { local: { baseUrl: DEFAULT_BASE_URL, key: 'sk-svc-local', model: null } },
    }
    expect(at('8788', none).baseUrl).toBe('http://localhost:8788/api')
    // The key was given for the gateway on the other port.
    expect(at('8788', local)).toMatchObject({ baseUrl: 'http://localhost:8788/api', key: null })
    expect(at('8787', local)).toMatchObject({ baseUrl: DEFAULT_BASE_URL, key: 'sk-svc-local' })
    expect(at('8788', file)).toMatchObject({ baseUrl: 'https://home.example/api', key: 'sk-svc-home' })
    expect(at('tcp://10.0.0.1:80', none).baseUrl).toBe(DEFAULT_BASE_URL)
  })

  test('the environment goes before the profile', () => {
    const environment = { SVC_API_KEY: 'sk-svc-env', SVC_BASE_URL: 'https://env.example/api' }
    const settings = resolveSettings({ environment, file })
    expect(settings).toMatchObject({ baseUrl: 'https://env.example/api', key: 'sk-svc-env', keySource: 'environment' })
  })

  test('a profile named on the command line is meant, whatever the environment holds', () => {
    const environment = { SVC_API_KEY: 'sk-svc-env', SVC_BASE_URL: 'https://env.example/api', SVC_PORT: '8788' }
    const local = { baseUrl: DEFAULT_BASE_URL, key: 'sk-svc-local', model: null }
    const profiles = { ...file, profiles: { ...file.profiles, local } }
    expect(resolveSettings({ environment, file: profiles, profile: 'local' })).toMatchObject(local)
    const settings = resolveSettings({ environment, file, profile: 'work' })
    expect(settings).toMatchObject({ baseUrl: 'https://work.example/api', key: 'sk-svc-work', model: 'svc-claude' })
  })

  test("a profile's key is never sent to another gateway", () => {
    expect(resolveSettings({ environment: {}, file, baseUrl: 'https://evil.example/api' }).key).toBeNull()
    expect(resolveSettings({ environment: { SVC_BASE_URL: 'https://evil.example/api' }, file }).key).toBeNull()
    expect(resolveSettings({ environment: {}, file, baseUrl: 'https://home.example/api/v1/' }).key).toBe('sk-svc-home')
  })

  test('an unknown profile is wrong usage', () => {
    expect(() => resolveSettings({ environment: {}, file, profile: 'nope' })).toThrow(CommandError)
  })
})

describe('checkedBaseUrl', () => {
  test.each([
    ['http://localhost:8787/api/', 'http://localhost:8787/api'],
    ['http://localhost:8787/api/v1', 'http://localhost:8787/api'],
    ['http://localhost:8787', 'http://localhost:8787/api'],
    ['https://ai.example.com/gateway/api', 'https://ai.example.com/gateway/api'],
  ])('%s means %s', (given, meant) => {
    expect(checkedBaseUrl(given)).toBe(meant)
  })

  test.each(['localhost:8787', 'ftp://host/api', 'https://user:secret@host/api', ''])('%s is refused', (given) => {
    expect(() => checkedBaseUrl(given)).toThrow('base URL')
  })
})
