const itemsText = counts => [number(counts.completed + counts.faulted + counts.unknown) + ' of ' + number(counts.total),
  ...['faulted', 'unknown'].filter(state => counts[state]).map(state => number(counts[state]) + ' ' + state)].join(', ');
// The number of ended items, as a bar and in words.
const itemsBar = counts => [el('progress', { max: Math.max(1, counts.total), value: counts.total ? counts.total - counts.pending : 1,
  'aria-label': 'Ended items' }), ' ', itemsText(counts)];

class BatchView {
  // 'itemsOf' returns the items for a query.
  constructor(page, itemsOf) {
    this.summary = el('div');
    this.itemsOf = itemsOf;
    const names = ['completed', 'faulted', 'unknown', 'not ended'];
    this.search = el('input', { type: 'search', 'aria-label': 'Find an item', placeholder: 'Find an item', input: () => this.find() });
    this.state = el('select', { 'aria-label': 'State of items', change: () => this.find() }, el('option', { value: '' }, 'in any state'), names.map(name => el('option', { value: name }, name)));
    this.count = el('span', { class: 'quiet', role: 'status' });
    this.found = el('div');
    this.items = el('details', { class: 'card', toggle: () => this.find() }, el('summary', {}, 'All items, and what each of them did'),
      el('div', { class: 'tools' }, this.search, this.state, this.count), this.found);
    page.replaceChildren(this.summary, this.items);
  }

  async find() {
    if (!this.items.open) return;
    const asked = this.asked = Symbol();
    const answer = await this.itemsOf({ search: this.search.value, state: this.state.value, limit: 500 });
    if (!answer || asked !== this.asked) return;
    const { items, count } = answer;
    this.count.textContent = count === items.length ? number(count) + (count === 1 ? ' item' : ' items') : 'the first ' + number(items.length) + ' of ' + number(count);
    this.found.replaceChildren(table('items', ['State', 'Item', 'What happened'], items.map(item => [el('span', { class: 'badge ' + item.state }, item.state), this.link(item),
      el('div', {}, item.effects.map(effect => el('div', {}, effect.state === 'done' ? null : el('b', {}, effect.state + ' '), el('bdi', {}, short(effect.summary, 500)))),
        item.more ? el('div', { class: 'quiet' }, 'and ' + number(item.more) + ' more') : null, item.error ? el('div', {}, el('bdi', {}, short(item.error, 500))) : null)])));
  }

  // Shows a batch in the format of 'graphflow show --json'; called again after each change.
  show(batch) {
    const open = new Set([...this.summary.querySelectorAll('details[open]')].map(box => box.dataset.kind));
    // The items of a large batch are read again only on request.
    if (batch.counts && batch.counts.total <= 10000) this.find();
    const focused = document.activeElement && document.activeElement.dataset.run;
    const fact = (name, value) => value === null || value === undefined ? null : el('div', {}, el('dt', {}, name), el('dd', {}, value));
    this.summary.replaceChildren(...[
      el('header', { class: 'head' },
        el('h1', {}, el('bdi', {}, short(batch.workflow || '?'))),
        el('span', { class: 'badge ' + batch.state, role: 'status' }, batch.state), batch.sandbox ? el('span', { class: 'tag' }, 'sandbox') : null,
        el('p', {}, (batch.version || '') + ', batch ', el('span', { class: 'mono' }, batch.run))),
      el('section', { 'aria-label': 'Summary' }, batch.counts ? el('p', { class: 'items' }, itemsBar(batch.counts)) : null, el('dl', { class: 'facts' }, ...[
        fact('Started', moment(batch.startedAt)), fact(batch.state === 'running' ? 'So far' : 'Took', duration(batch.duration)),
        ...(batch.resumedAt || []).slice(-5).map(time => fact('Resumed', moment(time))),
        fact('Items per second', batch.itemsPerSecond === undefined ? null : number(Math.round(batch.itemsPerSecond * 10) / 10)),
        fact('Not ended', batch.counts ? number(batch.counts.pending) : null),
        fact('Shard', batch.shard ? batch.shard.join(' of ') : null),
        fact('Microsoft Graph', batch.sandbox ? 'a sandbox' : batch.graphURL),
        fact('Items from', batch.source ? el('bdi', { class: 'mono' }, short(batch.source)) : null), fact('File', batch.file ? el('bdi', { class: 'mono' }, short(batch.file)) : null),
        fact('Secrets', batch.mayShowSecrets ? 'may be in clear text: an older version wrote this' : null),
        fact('To continue', batch.resume ? el('code', {}, short(batch.resume)) : null),
      ].filter(Boolean))),
      batch.problem ? el('section', { class: 'error', 'aria-label': 'Error' }, el('p', {}, el('bdi', {}, short(batch.problem, 2000)))) : null,
      (batch.errors || []).length ? el('section', { class: 'error', 'aria-label': 'Errors' }, el('h2', {}, 'Errors'), batch.errors.map(group => this.group(group, open))) : null,
      (batch.slowest || []).length ? el('section', { 'aria-label': 'Slowest items' }, el('h2', {}, 'Slowest items'), el('ul', { class: 'notes' },
        batch.slowest.map(item => el('li', {}, el('time', {}, duration(item.duration)), this.link(item), item.state === 'completed' ? null : ' ' + item.state)))) : null,
    ].filter(Boolean));
    if (focused) this.summary.querySelector('[data-run="' + CSS.escape(focused) + '"]')?.focus();
  }

  group(group, open) {
    const words = [group.status, group.title || group.type].filter(part => part !== undefined).join(' ');
    const kind = group.state + ' ' + group.type + ' ' + words;
    const more = group.count - group.examples.length;
    return el('details', { 'data-kind': kind, open: open.has(kind) },
      el('summary', {}, number(group.count) + ' × ' + (group.state === 'unknown' ? 'unknown, ' : ''), el('bdi', {}, short(words))),
      el('ul', { class: 'notes' }, group.examples.map(item => el('li', {}, this.link(item), item.detail ? [': ', el('bdi', {}, short(String(item.detail), 500))] : null)),
        more > 0 ? el('li', { class: 'quiet' }, 'and ' + number(more) + ' more') : null));
  }

  link(item) {
    return el('a', { 'data-run': item.run, href: '#/runs/' + encodeURIComponent(item.run) },
      el('bdi', {}, short(typeof item.key === 'string' ? item.key : JSON.stringify(item.key), 120)));
  }
}
