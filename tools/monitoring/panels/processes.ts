import { lines, type PanelRow } from '../panel.ts'

export const processes: PanelRow = {
  title: 'Processes',
  panels: [
    lines('Event loop', 'percentunit', 'Busy part of the one thread; near 1 add a process.', [
      'svc_event_loop_utilization_ratio',
      '{{instance}}',
    ]),
    lines('Delay of the event loop', 's', '99 of 100, since the last scrape.', [
      'nodejs_eventloop_lag_p99_seconds',
      '{{instance}}',
    ]),
    lines('Processor', 'percentunit', 'Of one core.', [
      'rate(process_cpu_seconds_total[$__rate_interval])',
      '{{instance}}',
    ]),
    lines(
      'Memory',
      'bytes',
      'Of the process, and the used part of its heap.',
      ['process_resident_memory_bytes', 'resident {{instance}}'],
      ['nodejs_heap_size_used_bytes', 'heap {{instance}}'],
    ),
    lines('Garbage collection', 'percentunit', 'Part of the time, by kind.', [
      'sum by (instance, kind) (rate(nodejs_gc_duration_seconds_sum[$__rate_interval]))',
      '{{instance}} {{kind}}',
    ]),
    lines('Versions', 'short', 'Processes by what runs.', [
      'sum by (version, node) (svc_build_info)',
      'SVC {{version}}, Node {{node}}',
    ]),
  ],
}
