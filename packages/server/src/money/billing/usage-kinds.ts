import type { UsageRecordBody, UsageType } from '@svc/contract'

/** What billing says of one kind of work. */
interface UsageKind {
  /** What could be asked for instead where credits do not suffice. */
  readonly ask: string
  /** The field of a 402 that says how much of it they would pay for. */
  readonly affordable: string
  /** The units that its records are about, the first that was counted; none for what is counted in tokens. */
  readonly units: readonly NonNullable<UsageRecordBody['units']>['kind'][]
}

export const usageKinds: Readonly<Record<UsageType, UsageKind>> = {
  chat: { ask: 'lower max_tokens', affordable: 'affordable_max_tokens', units: [] },
  embedding: { ask: 'send fewer or shorter texts', affordable: 'affordable_tokens', units: [] },
  rerank: { ask: 'send fewer or shorter documents', affordable: 'affordable_tokens', units: [] },
  moderation: { ask: 'send fewer or shorter texts', affordable: 'affordable_tokens', units: [] },
  image: { ask: 'ask for fewer or smaller images', affordable: 'affordable_images', units: ['images'] },
  video: { ask: 'ask for a shorter or smaller video', affordable: 'affordable_seconds', units: ['seconds'] },
  speech: { ask: 'send a shorter text', affordable: 'affordable_characters', units: ['characters', 'bytes'] },
  transcription: { ask: 'send a shorter recording', affordable: 'affordable_seconds', units: ['seconds'] },
}
