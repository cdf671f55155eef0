import { endpoints, type FileDeletedReply, type Printed } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import { deleteFile, findFile } from '../manage-files.ts'
import { renderFile } from '../stored-file.ts'
import type { UploadRoutesDeps } from '../upload-deps.ts'

/** GET and DELETE /v1/files/{file_id}. */
export function v1FilesFileId(app: FastifyInstance, deps: UploadRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getFile, async ({ request, reply }, caller) => {
    const { file_id: fileId } = parseBySchema(endpoints.getFile.request.path, request.params)
    reply.header('cache-control', 'no-store')
    return renderFile(await findFile(deps.uploads, caller, { fileId, param: 'file_id' }))
  })
  mountKeyed(app, deps, endpoints.deleteFile, async ({ request }, caller): Promise<Printed<FileDeletedReply>> => {
    const { file_id: fileId } = parseBySchema(endpoints.deleteFile.request.path, request.params)
    await deleteFile(deps.uploads, caller, fileId)
    return { id: fileId, object: 'file', deleted: true }
  })
}
