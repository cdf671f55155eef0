import { fileDeleted, fileForm, fileList, filePath, fileReply, filesQuery } from '../files.ts'
import { mediaPath, mediaQuery, mediaTypes } from '../media.ts'
import type { EndpointTable } from './endpoint.ts'

const onFile = { auth: 'key', right: 'inference', tag: 'Files', rateClass: 'keyed' } as const

export const filesEndpoints = {
  uploadFile: {
    ...onFile,
    id: 'uploadFile',
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file',
    description:
      'Requests for a batch, one a line. The file belongs to the team of the key and is kept sealed until it expires ' +
      'or is deleted. It costs nothing, and needs an account that has credits.',
    request: { form: fileForm },
    reply: { description: 'The file.', json: fileReply },
    errors: [
      'invalid_form',
      'missing_required_parameter',
      'invalid_value',
      'empty_content',
      'insufficient_credits',
      'request_timeout',
      'limit_reached',
      'request_too_large',
      'unsupported_media_type',
    ],
  },
  listFiles: {
    ...onFile,
    id: 'listFiles',
    method: 'GET',
    path: '/v1/files',
    summary: 'List the files of the team',
    description: 'Uploaded ones, and those that batches have written.',
    request: { query: filesQuery },
    reply: { description: 'One page of files.', json: fileList },
    errors: ['invalid_value'],
  },
  getFile: {
    ...onFile,
    id: 'getFile',
    method: 'GET',
    path: '/v1/files/{file_id}',
    summary: 'Read what is known of a file',
    description: 'Not its content.',
    request: { path: filePath },
    reply: { description: 'The file.', json: fileReply },
    errors: ['invalid_value', 'file_not_found'],
  },
  deleteFile: {
    ...onFile,
    id: 'deleteFile',
    method: 'DELETE',
    path: '/v1/files/{file_id}',
    summary: 'Delete a file',
    description: 'At once, with its content. A file that a running batch reads is not deleted: cancel the batch first.',
    request: { path: filePath },
    reply: { description: 'It is deleted.', json: fileDeleted },
    errors: ['invalid_value', 'file_not_found', 'file_in_use'],
  },
  getFileContent: {
    ...onFile,
    id: 'getFileContent',
    method: 'GET',
    path: '/v1/files/{file_id}/content',
    summary: 'Download the content of a file',
    description: 'Byte for byte as it was uploaded or written. `Range` and `If-Range` are obeyed.',
    request: { path: filePath },
    reply: {
      description: 'The content.',
      bytes: { types: ['application/octet-stream'], description: 'Lines of JSON.' },
    },
    errors: ['invalid_value', 'file_not_found', 'range_not_satisfiable'],
  },
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
} as const satisfies EndpointTable<
  'uploadFile' | 'listFiles' | 'getFile' | 'getFileContent' | 'deleteFile' | 'getMedia'
>
