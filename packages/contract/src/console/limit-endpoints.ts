import type { ConsoleTable } from './console-endpoint.ts'
import {
  gatewayLimitChangeRequest,
  gatewayLimitPreview,
  gatewayLimitPreviewRequest,
  gatewayLimitsReply,
} from './operator-limits.ts'
import { doneReply } from './session.ts'

/** Limits of the whole gateway that operators set while it runs. */
export const limitEndpoints = {
  getGatewayLimits: {
    id: 'getGatewayLimits',
    method: 'GET',
    path: '/console/operator/limits',
    permission: 'operator',
    request: {},
    reply: {
      description: 'All limits: those of the file, of the console, and the defaults.',
      json: gatewayLimitsReply,
    },
    errors: [],
  },
  previewGatewayLimit: {
    id: 'previewGatewayLimit',
    method: 'POST',
    path: '/console/operator/limits/preview',
    permission: 'operator',
    request: { body: gatewayLimitPreviewRequest },
    reply: { description: 'What the change would do. Nothing is changed.', json: gatewayLimitPreview },
    errors: [],
  },
  changeGatewayLimit: {
    id: 'changeGatewayLimit',
    method: 'POST',
    path: '/console/operator/limits',
    permission: 'operator',
    isSensitive: true,
    request: { body: gatewayLimitChangeRequest },
    reply: { description: 'It holds: here at once, in other processes within seconds.', json: doneReply },
    errors: [],
  },
} as const satisfies ConsoleTable<'getGatewayLimits' | 'previewGatewayLimit' | 'changeGatewayLimit'>
