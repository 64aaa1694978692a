const states = ['running', 'completed', 'faulted', 'cancelled', 'suspended', 'interrupted', 'unknown', 'damaged'];

class Board {
  constructor() {
    this.page = document.getElementById('page');
    this.message = document.getElementById('message');
    const given = new URLSearchParams(location.hash.slice(1)).get('token');
    if (given) {
      // Out of the address, which ends up in histories and screenshots.
      sessionStorage.setItem('token', given);
      history.replaceState(null, '', '#/');
    }
    this.token = sessionStorage.getItem('token') || '';
    this.filter = { state: '', search: '', limit: 100 };
    addEventListener('hashchange', () => this.open());
    this.open();
  }

  say(text) { this.message.textContent = visible(text || ''); }

  // Asks the server; says what went wrong, and then has no answer.
  async ask(path, options = {}) {
    try {
      const answer = await fetch('/api' + path, { ...options, headers: { Authorization: 'Bearer ' + this.token } });
      if (answer.ok) return answer;
      this.say((await answer.json()).detail);
    } catch (error) {
      if (error.name !== 'AbortError') this.say('The board does not answer: it has probably ended.');
    }
    return null;
  }

  // Takes each message of a stream until it is aborted; a stream that ends is asked for again.
  async follow(path, signal, take) {
    while (!signal.aborted) {
      const answer = await this.ask(path, { signal });
      try {
        if (answer) {
          this.say('');
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          let rest = '';
          for (let part = await reader.read(); !part.done; part = await reader.read()) {
            const messages = (rest + part.value).split('\n\n');
            rest = messages.pop();
            for (const message of messages) if (message.startsWith('data: ')) await take(JSON.parse(message.slice(6)));
          }
        }
      } catch (error) {
        if (error.name === 'AbortError') return;
      }
      await new Promise(resume => setTimeout(resume, 2000));
    }
  }

  open() {
    if (this.following) this.following.abort();
    this.following = new AbortController();
    const run = /^#\/runs\/(.+)$/.exec(location.hash);
    if (run) this.openRun(decodeURIComponent(run[1])); else this.openList();
  }

  openList() {
    document.title = 'graphflow board';
    const search = el('input', { type: 'search', 'aria-label': 'Find a run', placeholder: 'Find a run', value: this.filter.search,
      input: () => { this.filter.search = search.value; this.filter.limit = 100; this.followList(); } });
    const state = el('select', { 'aria-label': 'State', change: () => { this.filter.state = state.value; this.followList(); } },
      el('option', { value: '' }, 'in any state'), states.map(name => el('option', { value: name, selected: name === this.filter.state }, name)));
    this.count = el('span', { class: 'quiet', role: 'status' });
    this.rows = el('tbody');
    this.more = el('button', { type: 'button', hidden: true, click: () => { this.filter.limit += 400; this.followList(); } }, 'Show more');
    this.services = el('div');
    this.page.replaceChildren(this.services, el('h1', {}, 'Runs'), el('div', { class: 'tools' }, search, state, this.count),
      el('table', { class: 'runs' }, el('thead', {}, this.titles = el('tr')), this.rows), this.more);
    this.followList();
  }

  followList() {
    this.following.abort();
    this.following = new AbortController();
    this.follow('/runs/stream?' + new URLSearchParams(this.filter), this.following.signal, list => this.showList(list));
  }

  // What is served now; nothing where no service is at work.
  showServices(services) {
    const rows = services.flatMap(service => service.schedules.map(entry => el('tr', {}, el('td', {}, el('bdi', {}, short(entry.workflow))),
      el('td', {}, el('bdi', {}, short(entry.schedule))), el('td', {}, el('bdi', { class: 'mono' }, short(entry.file))), el('td', {}, String(service.process)),
      el('td', {}, moment(service.startedAt)))));
    this.services.replaceChildren(...(rows.length ? [el('h1', {}, 'Schedules'), el('table', { class: 'runs schedules' }, el('thead', {}, el('tr', {},
      ['Workflow', 'Schedule', 'File', 'Process', 'Since'].map(name => el('th', { scope: 'col' }, name)))), el('tbody', {}, rows))] : []));
  }

  showList(list) {
    this.showServices(list.services);
    const focused = document.activeElement && document.activeElement.dataset.run;
    this.count.textContent = list.runs.length === 0 ? 'no run' + (this.filter.state || this.filter.search ? ' matches' : ' yet: graphflow run FILE')
      : number(list.runs.length) + (list.hasMore ? ' newest' : '') + (list.runs.length === 1 ? ' run' : ' runs');
    this.more.hidden = !list.hasMore;
    const hasBatches = list.runs.some(run => run.counts);
    this.titles.replaceChildren(...['State', 'Workflow', 'Run', 'Started', 'Took', ...(hasBatches ? ['Items'] : []), 'Error']
      .map(name => el('th', { scope: 'col' }, name)));
    this.rows.replaceChildren(...list.runs.map(run => el('tr', {},
      el('td', {}, el('span', { class: 'badge ' + run.state }, run.state)), el('td', {}, el('bdi', {}, short(run.workflow || '?'))),
      el('td', {}, el('a', { class: 'mono', 'data-run': run.run, href: '#/runs/' + encodeURIComponent(run.run) }, run.run)),
      el('td', {}, moment(run.startedAt)), el('td', {}, run.duration === undefined ? '…' : duration(run.duration)),
      hasBatches ? el('td', {}, run.counts ? itemsBar(run.counts) : null) : null,
      el('td', {}, el('bdi', {}, short(String(run.problem || (run.error && (run.error.title || run.error.type)) || ''), 120))))));
    if (focused) this.rows.querySelector('[data-run="' + CSS.escape(focused) + '"]')?.focus();
  }

  async openRun(name) {
    const path = '/runs/' + encodeURIComponent(name);
    const { signal } = this.following;
    document.title = name + ' – graphflow board';
    const drawing = el('figure', { id: 'drawing', class: 'drawing' });
    this.acts = el('div', { class: 'acts' });
    const place = el('div');
    this.page.replaceChildren(this.acts, place, drawing);
    const answer = await this.ask(path + '/drawing', { signal });
    const text = answer ? await answer.text() : '';
    if (text) drawing.append(document.importNode(new DOMParser().parseFromString(text, 'text/html').querySelector('svg'), true));
    if (signal.aborted) return;
    let [view, last] = [null, 0];
    await this.follow(path + '/stream', signal, async change => {
      // A long run is not read more often than that takes.
      const wait = last - Date.now();
      if (wait > 0) await new Promise(resume => setTimeout(resume, wait));
      const begun = Date.now();
      const answer = await this.ask(path, { signal });
      if (!answer || signal.aborted) return;
      const run = await answer.json();
      last = Date.now() + Math.min(10000, 2 * (Date.now() - begun));
      view = view || (run.kind === 'batch' ? new BatchView(place) : new RunView(place));
      view.show(run);
      if (run.batch) this.showBatch(run.batch); else this.showActs(path, run);
    });
  }

  // An item goes on with its batch.
  showBatch(name) {
    if (!this.acts.children.length) this.acts.append(el('a', { href: '#/runs/' + encodeURIComponent(name) }, 'The batch ' + name));
  }

  showActs(path, run) {
    const act = (text, method, path, body, question) => el('button', { type: 'button', click: async event => {
      if (question && !confirm(question)) return;
      const button = event.currentTarget;
      button.disabled = true;
      this.say(text + ' …');
      const answer = await this.ask(path, { method, body: body && JSON.stringify(body) });
      button.disabled = false;
      if (!answer) return;
      this.say('');
      if (method === 'DELETE') location.hash = '#/';
    } }, text);
    const acts = [];
    if (run.resume && run.state === 'unknown') {
      acts.push(act('Resume: it was sent', 'POST', path + '/resume', { assume: 'sent' }), act('Resume: it was not sent', 'POST', path + '/resume', { assume: 'not-sent' }));
    }
    if (run.resume) acts.push(act('Resume', 'POST', path + '/resume', {}), act('Resume with the changed file', 'POST', path + '/resume', { acceptChanges: true }));
    if (run.kind === 'batch') {
      if (run.state === 'running') acts.push(act('Interrupt', 'POST', path + '/cancel', undefined, 'Interrupt this batch? It can be resumed.'));
    } else if (['running', 'suspended', 'interrupted'].includes(run.state)) {
      acts.push(act('Cancel', 'POST', path + '/cancel', undefined, 'Cancel this run?'));
    }
    if (run.state !== 'running') acts.push(act('Remove', 'DELETE', path, undefined, 'Remove this ' + run.kind + ' and everything that it left?'));
    const wanted = acts.map(button => button.textContent).join();
    // Buttons stay while they are the same, so that the focus stays.
    if (this.acts.dataset.shown !== wanted || !this.acts.children.length) this.acts.replaceChildren(...acts);
    this.acts.dataset.shown = wanted;
  }
}

new Board();
