import type { filesEndpoints } from '../endpoints/files.ts'
import { CREATED, type ExampleTable } from './example.ts'

const ID = 'file-0199f0a47c1e7a529d1b3f5a2c7e8b90'

const file = {
  id: ID,
  object: 'file',
  bytes: 412,
  created_at: CREATED,
  expires_at: CREATED + 2_592_000,
  filename: 'requests.jsonl',
  purpose: 'batch',
  status: 'processed',
  status_details: null,
}

export const filesExamples: ExampleTable<typeof filesEndpoints> = {
  uploadFile: { reply: file },
  listFiles: { reply: { object: 'list', data: [file], first_id: ID, last_id: ID, has_more: false } },
  getFile: { reply: file },
  deleteFile: { reply: { id: ID, object: 'file', deleted: true } },
  getFileContent: {},
  getMedia: {},
}
