import type { devicesEndpoints } from '../endpoints/devices.ts'
import type { ExampleTable } from './example.ts'

export const devicesExamples: ExampleTable<typeof devicesEndpoints> = {
  requestDeviceCode: {
    body: { device_name: 'laptop' },
    reply: {
      object: 'device_code',
      device_code: 'cGxlYXNlIGRvIG5vdCB1c2UgdGhpcyBvbmUsIHRoYW5r',
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://gateway.example/console/device',
      expires_in: 600,
      interval: 5,
    },
  },
  pollDeviceToken: {
    body: { device_code: 'cGxlYXNlIGRvIG5vdCB1c2UgdGhpcyBvbmUsIHRoYW5r' },
    reply: {
      ...{ object: 'device_token', status: 'approved', interval: 5 },
      key: 'sk-svc-0123456789abcdefghijABCDEFGHIJ0123456789abc4Kx8pQ',
    },
  },
}
