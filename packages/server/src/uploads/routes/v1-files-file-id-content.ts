import { Readable } from 'node:stream'
import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import { sendMedia } from '../../edge/send-media.ts'
import { findFile } from '../manage-files.ts'
import type { UploadRoutesDeps } from '../upload-deps.ts'

/** What a name may have that is proposed to who saves the file. */
const UNSAFE = /[^A-Za-z0-9.-]+/g

/** GET /v1/files/{file_id}/content. */
export function v1FilesFileIdContent(app: FastifyInstance, deps: UploadRoutesDeps): void {
  const endpoint = endpoints.getFileContent
  mountKeyed(app, deps, endpoint, async (call, caller) => {
    const { file_id: fileId } = parseBySchema(endpoint.request.path, call.request.params)
    const file = await findFile(deps.uploads, caller, { fileId, param: 'file_id' })
    return sendMedia(call, {
      ...{ version: fileId, fileName: file.filename.replaceAll(UNSAFE, '-'), bytes: file.bytes },
      contentType: 'application/octet-stream',
      maxAgeSeconds: 0,
      open: async (range) => {
        const opened = await deps.uploads.vault.open(file, range)
        return opened === null ? null : Readable.from(opened, { objectMode: false })
      },
    })
  })
}
