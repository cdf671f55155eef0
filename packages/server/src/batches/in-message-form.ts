import type { FastifyInstance } from 'fastify'
import { sendMessageError, takeKeyHeader } from '../forms/message-form.ts'

/** Mounts routes whose keys and errors are where Anthropic's clients have them. */
export function inMessageForm(app: FastifyInstance, mount: (scope: FastifyInstance) => void): void {
  app.register((scope, _options, done) => {
    scope.setErrorHandler(sendMessageError)
    scope.addHook('onRequest', (request, _reply, next) => {
      takeKeyHeader(request)
      next()
    })
    mount(scope)
    done()
  })
}
