import type { TeamRole } from '@svc/contract'

/** What each role may do, in a sentence. */
export const roleTexts: Readonly<Record<TeamRole, string>> = {
  owner: 'everything, money and people included.',
  admin: 'people, settings, everybody’s keys and deposits.',
  billing: 'deposits and everybody’s usage, but no keys.',
  member: 'own keys and own usage.',
  viewer: 'looks at usage, and changes nothing.',
}
