import type { ConsoleTable } from './console-endpoint.ts'
import { approvedDevice, deviceApproval, deviceCodeBody, deviceTeamPath, waitingDevice } from './devices.ts'
import { doneReply } from './session.ts'

/** A person signs a terminal in. */
export const deviceEndpoints = {
  findDevice: {
    id: 'findDevice',
    method: 'POST',
    path: '/console/device',
    isRepeatable: true,
    permission: null,
    request: { body: deviceCodeBody },
    reply: { description: 'The terminal that shows this code.', json: waitingDevice },
    errors: ['device_code_not_found'],
  },
  denyDevice: {
    id: 'denyDevice',
    method: 'POST',
    path: '/console/device/deny',
    permission: null,
    request: { body: deviceCodeBody },
    reply: { description: 'It gets no key.', json: doneReply },
    errors: ['device_code_not_found'],
  },
  approveDevice: {
    id: 'approveDevice',
    method: 'POST',
    path: '/console/teams/{team_id}/device',
    permission: 'keys:own',
    isSensitive: true,
    request: { path: deviceTeamPath, body: deviceApproval },
    reply: { description: 'It has a key of its own.', json: approvedDevice },
    errors: ['device_code_not_found', 'account_suspended'],
  },
} as const satisfies ConsoleTable<'findDevice' | 'denyDevice' | 'approveDevice'>
