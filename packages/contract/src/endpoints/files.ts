import { mediaPath, mediaQuery, mediaTypes } from '../media.ts'
import type { EndpointTable } from './endpoint.ts'

export const filesEndpoints = {
  getMedia: {
    id: 'getMedia',
    method: 'GET',
    path: '/v1/media/{name}',
    auth: 'signed',
    tag: 'Files',
    summary: 'Download a file',
    description:
      'Answers give such addresses; their signature is what opens them, no key is needed, and they end when ' +
      '`expires` says. `HEAD`, `Range`, `If-Range` and `If-None-Match` are obeyed.',
    request: { path: mediaPath, query: mediaQuery },
    reply: {
      description: 'The file.',
      bytes: { types: mediaTypes, description: 'The file, or with status 206 the part that `Range` asks for.' },
    },
    errors: ['invalid_signature', 'content_expired', 'file_not_found', 'range_not_satisfiable'],
    rateClass: 'public',
  },
} as const satisfies EndpointTable<'getMedia'>
