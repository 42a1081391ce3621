package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/cnibench/cnibench/hack/validation/blocks"
	"github.com/cnibench/cnibench/internal/result"
)

// measure runs the campaigns that are not whole yet, one after the other, and
// keeps what each gives in the table as soon as it ends.
func measure(ctx context.Context, s settings, k kind) error {
	ctx, stop := context.WithTimeout(ctx, s.length)
	defer stop()
	table, err := readTable(s, k)
	if err != nil {
		return err
	}
	for number := 1; number <= k.campaigns; number++ {
		if err := collect(s, k, &table, k.campaign(number)); err != nil {
			return err
		}
	}
	for number, begun := 1, 0; number <= k.campaigns; number++ {
		name := k.campaign(number)
		have := len(table.Of(name))
		if have >= k.blocks {
			continue
		}
		if ctx.Err() != nil || begun == s.most {
			s.say("%s: %d of %d blocks; start it again to go on\n", name, have, k.blocks)
			return nil
		}
		begin := time.Now()
		begun++
		if err := runCampaign(ctx, s, k, number); err != nil {
			return err
		}
		if err := collect(s, k, &table, name); err != nil {
			return err
		}
		s.say("%s: %d of %d blocks, %s\n", name, len(table.Of(name)), k.blocks, time.Since(begin).Round(time.Second))
	}
	return nil
}

// readTable reads what is there; a kind that was never measured has no rows.
func readTable(s settings, k kind) (blocks.Table, error) {
	table, err := blocks.ReadFile(s.table(k))
	if errors.Is(err, fs.ErrNotExist) {
		return blocks.Table{Arms: k.names()}, nil
	}
	if err != nil {
		return table, err
	}
	if !slices.Equal(table.Arms, k.names()) {
		return table, fmt.Errorf("%s has arms %v and not %v: it is of another series", s.table(k), table.Arms, k.names())
	}
	return table, nil
}

// grace is what an interrupted campaign may take to end its labs.
const grace = time.Minute

// runCampaign starts a campaign, or goes on with it, until it ends or time is up.
func runCampaign(ctx context.Context, s settings, k kind, number int) error {
	dir := filepath.Join(s.results, k.campaign(number))
	args := []string{"run", "--resume", dir}
	if _, err := result.Open(dir); err != nil {
		if err := os.MkdirAll(s.results, 0o755); err != nil {
			return err
		}
		file := dir + ".yaml"
		if err := os.WriteFile(file, []byte(k.file(number)), 0o644); err != nil {
			return err
		}
		args = []string{"run", "-f", file, "--out", dir}
	}
	log, err := os.OpenFile(dir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, s.cnibench, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	if closeErr := log.Close(); closeErr != nil {
		return closeErr
	}
	var exit *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 1 && ended(dir, k):
		return nil // a trial without a result leaves its block without a value
	}
	return fmt.Errorf("%s: %w: see %s", k.campaign(number), err, dir+".log")
}

// ended says that every trial of a campaign was attempted.
func ended(dir string, k kind) bool {
	rows, err := read(dir, k)
	return err == nil && len(rows) == k.blocks
}

// collect takes over what a results directory has, if there is one.
func collect(s settings, k kind, table *blocks.Table, name string) error {
	rows, err := read(filepath.Join(s.results, name), k)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	table.Replace(name, rows)
	return writeFile(s.table(k), table.Write)
}

// read returns the finished blocks of a results directory.
func read(dir string, k kind) ([]blocks.Row, error) {
	if _, err := os.Stat(filepath.Join(dir, result.JournalFile)); err != nil {
		return nil, err
	}
	d, err := result.Open(dir)
	if err != nil {
		return nil, err
	}
	p, err := d.Plan()
	if err != nil {
		return nil, err
	}
	journal, err := d.Journal()
	if err != nil {
		return nil, err
	}
	return blocks.Collect(filepath.Base(dir), p, journal.Trials, k.names()), nil
}
