class RunView {
  constructor(page) {
    this.page = page;
    this.drawing = document.getElementById('drawing');
    this.timeline = new Timeline((task, isAsked) => this.choose(task, isAsked));
    this.summary = el('div');
    this.task = el('section', { class: 'task', tabindex: -1, 'aria-labelledby': 'chosen' });
    this.page.replaceChildren(this.summary, this.timeline.element, this.task, ...(this.drawing && this.drawing.firstElementChild ? [this.drawing] : []));
    if (this.drawing) this.prepareDrawing();
  }

  // Shows a run in the format of 'graphflow show --json'; called again after each change.
  show(run) {
    this.run = run;
    this.summary.replaceChildren(...this.summaryParts(run).filter(Boolean));
    this.timeline.show(run);
    if (this.drawing) this.colour();
    // In a failed run, select the task that failed.
    const failed = run.error && !this.timeline.chosen &&
      this.timeline.tasks.findLast(task => task.state === 'faulted' && task.data.task === run.error.instance);
    if (failed) this.timeline.select(failed); else this.choose(this.timeline.chosen);
  }

  summaryParts(run) {
    const fact = (name, value) => value === null || value === undefined ? null : el('div', {}, el('dt', {}, name), el('dd', {}, value));
    const end = new Date(Date.parse(run.startedAt) + run.duration * 1000);
    const graph = run.sandbox ? 'a sandbox' : run.graphURL || null;
    return [
      el('header', { class: 'head' },
        el('h1', {}, el('bdi', {}, short(run.title || run.workflow || '?'))),
        el('span', { class: 'badge ' + run.state, role: 'status' }, run.state), run.sandbox ? el('span', { class: 'tag' }, 'sandbox') : null,
        el('p', {}, el('bdi', {}, short(run.workflow || '?')), ' ' + (run.version || '') + ', run ', el('span', { class: 'mono' }, run.run))),
      el('section', { 'aria-label': 'Summary' }, el('dl', { class: 'facts' }, ...[
        fact('Started', moment(run.startedAt)),
        fact(['running', 'waiting'].includes(run.state) ? 'So far' : 'Took', duration(run.duration)),
        ['running', 'waiting'].includes(run.state) ? null : fact('Ended', moment(end.toISOString())),
        ...(run.resumedAt || []).map(time => fact('Resumed', moment(time))),
        ...(run.approvals || []).map(decision => fact(decision.approved ? 'Approved' : decision.state === 'expired' ? 'Expired' : 'Rejected',
          el('bdi', {}, short([decision.state === 'expired' ? 'no one approved it in time' : 'by ' + (decision.name || '?'), decision.at, decision.note].filter(Boolean).join(', '), 500)))),
        fact('Microsoft Graph', graph), fact('File', run.file ? el('bdi', { class: 'mono' }, short(run.file)) : null),
        fact('Secrets', run.mayShowSecrets ? 'may be in clear text: an older version wrote this' : null),
        fact('To continue', run.resume ? el('code', {}, run.resume) : null),
      ].filter(Boolean))),
      run.error ? this.errorPart(run) : null,
      (run.effects || []).length ? this.effectsPart(run.effects) : null,
      (run.people || []).length ? this.peoplePart(run.people) : null,
      el('section', { class: 'two', 'aria-label': 'Data of the run' }, this.data('Input', run.input), this.data('Output', run.output)),
    ];
  }

  // Lists the effects.
  effectsPart(effects) {
    const most = 500;
    const items = effects.slice(0, most).map(effect => el('li', {}, moment(effect.at),
      effect.state === 'done' ? null : el('span', { class: 'error' }, effect.state + ' '), el('bdi', {}, short(effect.summary, 2000))));
    return el('section', { 'aria-label': 'Effects' }, el('h2', {}, 'What happened'), el('ul', { class: 'notes' }, items),
      effects.length > most ? el('p', { class: 'quiet' }, 'and ' + number(effects.length - most) + ' more') : null);
  }

  // Lists everybody who got, lost or was changed.
  peoplePart(people) {
    return el('section', { 'aria-label': 'By person' }, el('h2', {}, 'By person'), el('ul', { class: 'notes' }, people.map(person =>
      el('li', {}, el('b', {}, el('bdi', {}, short(person.name, 300))), person.outside ? el('span', { class: 'error' }, ' outside') : null,
        person.what.slice(0, 100).map(words => el('div', {}, el('bdi', {}, short(words, 2000))))))));
  }

  errorPart(run) {
    const { error, source } = run;
    const parts = [el('h2', {}, (error.title || 'Error') + (error.status ? ' (' + error.status + ')' : ''))];
    if (error.detail) parts.push(el('p', {}, el('bdi', {}, short(String(error.detail), 4000))));
    if (error.instance) {
      const line = run.lines && run.lines[error.instance];
      parts.push(el('p', { class: 'quiet' }, el('bdi', { class: 'mono' }, short(String(error.instance))), line ? ', line ' + line + ' of the file' : ''));
    }
    if (source) parts.push(el('pre', { class: 'source', tabindex: 0, 'aria-label': 'The place in the file' }, source.lines.map((line, index) =>
      el('span', { class: source.first + index === source.line ? 'here' : null }, el('i', {}, String(source.first + index)), line || ' '))));
    const ids = ['type', 'code', 'requestId', 'clientRequestId', 'date'].filter(name => error[name]);
    if (ids.length) parts.push(el('dl', { class: 'facts' }, ids.map(name => el('div', {}, el('dt', {}, name), el('dd', { class: 'mono' }, short(String(error[name])))))));
    return el('section', { class: 'error', 'aria-label': 'Error' }, parts);
  }

  // Data that is folded until it is opened.
  data(title, text, isOpen = text !== undefined && text.length < 600) {
    if (text === undefined) return null;
    const box = el('details', { open: isOpen });
    const fill = () => { if (box.open && box.childElementCount === 1) box.append(el('pre', { tabindex: 0, 'aria-label': title }, text)); };
    box.append(el('summary', {}, title, el('span', { class: 'quiet' }, text.length < 600 ? '' : '  ' + number(text.length) + ' characters')));
    box.addEventListener('toggle', fill);
    fill();
    return box;
  }

  choose(task, isAsked) {
    if (!task) {
      this.task.replaceChildren(el('h2', { id: 'chosen' }, 'Task'), el('p', { class: 'quiet' }, 'Choose a task above to see its data, retries and errors.'));
      return;
    }
    const { data } = task;
    const line = this.run.lines && this.run.lines[data.task];
    const fact = (name, value) => value ? el('div', {}, el('dt', {}, name), el('dd', {}, value)) : null;
    const waited = (data.notes || []).reduce((sum, note) => sum + (note.delay || 0), 0);
    const parts = [
      el('h2', { id: 'chosen' }, el('bdi', {}, (data.task ? '' : 'run of ') + short(data.name)), data.label ? ' (' + data.label + ')' : ''),
      el('dl', { class: 'facts' }, ...[
        fact('State', task.state), fact('Started', moment(data.startedAt)), fact('Took', duration(data.duration)),
        data.attempts > 1 ? fact('Attempts', String(data.attempts)) : null, waited ? fact('Waited', duration(waited)) : null,
        fact('Effect', data.effect), fact('Task', data.task ? el('bdi', { class: 'mono' }, short(data.task) + (line ? ', line ' + line : '')) : null),
        fact('Occurrence', data.occurrence ? el('bdi', { class: 'mono' }, short(data.occurrence)) : null), fact('Run', data.run ? el('span', { class: 'mono' }, data.run) : null),
      ].filter(Boolean)),
    ];
    if (data.error) parts.push(el('h3', {}, 'Error'), el('pre', { tabindex: 0 }, Object.entries(data.error)
      .map(([name, value]) => name + ': ' + (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')));
    if (data.notes) parts.push(el('h3', {}, 'Requests, waits and events'), el('ul', { class: 'notes' }, data.notes.slice(0, 200).map(note => this.note(note))));
    if (data.input !== undefined || data.output !== undefined) parts.push(el('h3', {}, 'Data'), el('div', { class: 'two' }, [this.data('Input', data.input), this.data('Output', data.output)]));
    this.task.replaceChildren(...parts.filter(Boolean));
    if (isAsked) this.task.focus();
    this.markDrawing(data.task);
  }

  note(note) {
    const wait = duration(note.delay || 0);
    const words = {
      retried: 'attempt ' + note.attempt + ' after ' + wait, requestRetried: 'request sent again, attempt ' + note.attempt + ' after ' + wait,
      held: 'request waited ' + wait, uploaded: 'uploaded', drafted: 'saved as a draft', direct: 'not as a draft', emitted: 'emitted', waiting: 'waited for events',
      received: 'events received', resumed: 'resumed',
    };
    const after = (Date.parse(note.time) - this.timeline.start) / 1000;
    return el('li', {}, el('time', { datetime: note.time, title: note.time }, '+' + duration(after)), words[note.kind] || note.kind,
      note.text ? [': ', el('bdi', {}, short(note.text, 2000))] : null);
  }

  prepareDrawing() {
    const svg = this.drawing.querySelector('svg');
    if (!svg) return;
    this.drawing.prepend(el('h2', {}, 'Workflow'));
    svg.addEventListener('click', event => {
      const part = event.target.closest('[data-task]');
      const task = part && this.timeline.tasks.find(task => task.data.task === part.dataset.task);
      if (task) this.timeline.select(task);
    });
  }

  // Marks the performed tasks in the drawing, with their counts.
  colour() {
    const known = new Map();
    const add = (pointer, state) => {
      const entry = known.get(pointer) || { count: 0, state };
      if (state !== 'skipped') entry.count += 1;
      if (state === 'faulted' || state === 'running' || entry.state === 'skipped') entry.state = state;
      known.set(pointer, entry);
    };
    for (const { data, state } of this.timeline.tasks) {
      if (!data.task) continue;
      add(data.task, state);
      const place = data.task.lastIndexOf('/catch/do/');
      if (place > 0 && !data.task.slice(place + 10).includes('/do/')) add(data.task.slice(0, place + 6), state);
    }
    for (const part of this.drawing.querySelectorAll('[data-task]')) {
      const entry = known.get(part.dataset.task);
      part.classList.remove('taken', 'untaken', ...Object.keys(signs));
      part.querySelector(':scope > .count')?.remove();
      if (!entry || entry.state === 'skipped') { part.classList.add('untaken'); continue; }
      part.classList.add('taken', entry.state);
      if (entry.count > 1 && !part.classList.contains('catch')) this.badge(part, entry.count);
    }
  }

  badge(part, count) {
    const box = part.querySelector('rect,polygon,circle').getBBox();
    const make = (name, attributes) => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const text = '×' + number(count);
    const width = 10 + text.length * 7;
    const x = box.x + box.width - width / 2 - 6;
    const label = make('text', { x: x + width / 2, y: box.y + 4 });
    label.textContent = text;
    const group = make('g', { class: 'count' });
    group.append(make('rect', { x, y: box.y - 8, width, height: 16, rx: 8 }), label);
    part.append(group);
  }

  markDrawing(pointer) {
    if (!this.drawing) return;
    for (const part of this.drawing.querySelectorAll('[data-task]')) part.toggleAttribute('data-chosen', part.dataset.task === pointer);
  }
}
