import { deviceCodeReply, deviceTokenReply, deviceTokenRequest, newDeviceCode } from '../devices.ts'
import { bodyErrors, type EndpointTable } from './endpoint.ts'

export const devicesEndpoints = {
  requestDeviceCode: {
    id: 'requestDeviceCode',
    method: 'POST',
    path: '/v1/device/code',
    auth: 'public',
    tag: 'Keys',
    summary: 'Ask a person to sign a terminal in',
    description:
      'The device flow of RFC 8628: show `user_code` and `verification_uri`, and poll `/v1/device/token` with ' +
      '`device_code`. The person types the code on a page of the console, and the terminal gets a key of its own.',
    request: { body: newDeviceCode },
    reply: { description: 'The codes.', json: deviceCodeReply },
    errors: bodyErrors,
    rateClass: 'public',
  },
  pollDeviceToken: {
    id: 'pollDeviceToken',
    method: 'POST',
    path: '/v1/device/token',
    isRepeatable: true,
    auth: 'public',
    tag: 'Keys',
    summary: 'Fetch the key of a terminal',
    description:
      'Says what became of the request, and gives the key once a person has approved it, until the code ends.',
    request: { body: deviceTokenRequest },
    reply: { description: 'Its state.', json: deviceTokenReply },
    errors: bodyErrors,
    rateClass: 'public',
  },
} as const satisfies EndpointTable<'requestDeviceCode' | 'pollDeviceToken'>
