import type { keysEndpoints } from '../endpoints/keys.ts'
import type { ExampleTable } from './example.ts'

export const keysExamples: ExampleTable<typeof keysEndpoints> = {
  mirrorKey: {
    body: { raw: 'sk-svc-0123456789abcdefghijABCDEFGHIJ0123456789abc4Kx8pQ', name: 'laptop' },
    reply: { mirrored: true },
  },
}
