use super::*;
use std::sync::atomic::{AtomicU32, Ordering};

fn path(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("lfbloom-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn types_are_send_and_sync() {
    fn needs<T: Send + Sync>() {}
    needs::<(Filter, Mapped, Counting, Growing, Window, Versions)>();
    needs::<(View, Building<'_>, Error, Answers)>();
}

#[test]
fn a_key_is_the_same_in_each_form() {
    let filter = Filter::new(1000, 1e-12).unwrap();
    assert!(filter.put("a"));
    for found in [filter.might_contain(b"a"), filter.might_contain(String::from("a")), !filter.put(&vec![b'a'])] {
        assert!(found);
    }
    assert!(filter.put("") && filter.might_contain(&[0u8; 0]));
    assert!(filter.put(97) && filter.might_contain(&97u64) && !filter.might_contain(98));
    let hash = 0x9e37_79b9_7f4a_7c15;
    assert!(filter.put_hash(hash) && filter.might_contain_hash(hash) && !filter.claim_hash(hash));
    assert_eq!(filter.stats().approximate_count, 4);
}

#[test]
fn many_keys_answer_as_one_by_one() {
    let filter = Filter::new(200_000, 1e-9).unwrap();
    let words: Vec<String> = (0..150_000).map(|i| i.to_string()).collect(); // three rounds
    assert_eq!(filter.put_many(&words[..100_000]), 100_000);
    let answers = filter.might_contain_many(&words);
    assert_eq!(answers.trues(), 100_000);
    assert!(answers.iter().enumerate().all(|(i, answer)| answer == (i < 100_000)));
    let claimed = filter.claim_many(&words);
    assert!(claimed.trues() == 50_000 && !claimed.get(99_999) && claimed.get(100_000));

    let numbers: Vec<u64> = (0..1000).collect();
    assert_eq!(filter.put_many(&numbers), 1000);
    let borrowed: Vec<&u64> = numbers.iter().collect();
    assert_eq!(filter.put_many_answers(&borrowed).trues(), 0);
    assert_eq!(filter.put_many(&[[1u8; 16], [2; 16]]), 2);
    assert_eq!(filter.might_contain_many::<&str>(&[]).iter().count(), 0);
}

// Of all the claims of one key, exactly one wins.  Each thread claims all keys.
#[test]
fn a_claim_has_one_winner() {
    const KEYS: u64 = 50_000;
    let (filter, growing) = (Filter::new(KEYS, 1e-12).unwrap(), Growing::new(1024, 1e-12).unwrap());
    let wins = AtomicU32::new(0);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let won = (0..KEYS).filter(|&key| filter.claim(key)).count();
                let grown = (0..KEYS).filter(|&key| growing.claim(key)).count();
                wins.fetch_add((won + grown) as u32, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(wins.into_inner(), 2 * KEYS as u32);
    assert!(growing.stats().layers > 1 && growing.stuck().is_ok());
}

#[test]
fn counting_removes() {
    let mut config = Config::new(1000, 1e-8);
    for strategy in [Strategy::TAGS, Strategy::GUAVA_MITZ64] {
        config.strategy = strategy;
        let counting = Counting::with(&config).unwrap();
        assert!(counting.put("a").is_ok() && counting.put("a").is_ok() && counting.remove("a"));
        assert!(counting.might_contain("a") && counting.remove("a") && !counting.remove("a"));
        counting.put_many(&[1, 2, 3]).unwrap();
        assert!(counting.remove_many(&[2, 4]).iter().eq([true, false]));
        let copy = Counting::from_bytes(&counting.to_bytes().unwrap()).unwrap();
        assert!(copy.remove(1) && copy.put_all(&counting).is_ok());
        match counting.to_filter() {
            Ok(plain) => assert!(plain.might_contain(3) && !plain.might_contain(2)),
            Err(error) => assert!(strategy == Strategy::TAGS && error.status() == Status::TAGS),
        }
        assert_eq!(Filter::from_bytes(&counting.to_bytes().unwrap()).unwrap_err().status(), Status::COUNTING);
    }
}

#[test]
fn a_full_counting_filter_says_so() {
    let mut config = Config { copies: 16, ..Config::new(1000, 0.01) };
    let counting = Counting::with(&config).unwrap();
    counting.put_many(&["a"; 64]).unwrap();
    assert_eq!(counting.put("a").unwrap_err().status(), Status::FULL);
    assert_eq!(counting.put_many(&["a", "b"]).unwrap_err().status(), Status::FULL);
    assert!(counting.put_many_answers(&["a", "b"]).iter().eq([false, true]));
    assert!(counting.stats().copies == 66 && counting.stats().puts_refused == 3);
    assert!(counting.remove_many(&["a"; 65]).trues() == 64 && counting.stats().slots > 2 * 1000);
    config.copies = 17;
    assert_eq!(Counting::with(&config).unwrap_err().status(), Status::TOO_MANY_COPIES);
}

#[test]
fn a_window_forgets() {
    let window = Window::new(1000, 1e-9).unwrap();
    assert!(window.claim("a") && !window.claim("a") && !window.put("a"));
    for _ in 0..=window.stats().generations {
        assert!(window.might_contain("a"));
        window.advance(window.generation()).unwrap();
    }
    assert!(!window.might_contain("a"));
    assert_eq!(window.advance(1).unwrap_err().status(), Status::WRONG_GENERATION);
    let mut config = WindowConfig::new(1000, 0.01);
    assert_eq!(Window::with(&config).unwrap().start_clock().unwrap_err().status(), Status::BAD_SPAN);
    config.span = 3600.0;
    let mut window = Window::with(&config).unwrap();
    window.start_clock().unwrap();
    assert_eq!((window.tick().unwrap(), config.plan().unwrap().generations), (0, 3));
    window.stop_clock();
}

#[test]
fn filters_are_kept_in_files() {
    let (plain, shared) = (path("plain"), path("shared"));
    let mut config = Config::new(1000, 0.001);
    (config.hash, config.key) = (HashId::SIPHASH13, [7; 16]);
    let filter = Filter::with(&config).unwrap();
    filter.put("a");
    filter.save(&plain).unwrap();
    assert_eq!(Filter::load(&plain).unwrap_err().status(), Status::KEY_NEEDED);
    let limits = Limits { key: Some([7; 16]), ..Limits::default() };
    assert!(limits.load::<Filter>(&plain).unwrap().might_contain("a"));
    let mapped = limits.map(&plain).unwrap();
    assert!(mapped.might_contain("a") && mapped.verify().is_ok() && filter.put_all(&mapped).is_ok());

    let here = Filter::create(&shared, &Config::new(1000, 0.001)).unwrap();
    let there = Filter::open(&shared).unwrap();
    assert!(here.claim("b") && !there.claim("b") && there.sync().is_ok());
    assert_eq!(filter.sync().unwrap_err().status(), Status::NOT_MAPPED);
    assert_eq!(Filter::create(&shared, &config).unwrap_err().status(), Status::EXISTS);
    let missing = Filter::load("/no/such/file").unwrap_err();
    assert_eq!(missing.os_error().unwrap().kind(), io::ErrorKind::NotFound);
    assert_eq!(missing.to_string(), "the file cannot be opened: No such file or directory (os error 2)");
    assert_eq!(Filter::load("a\0b").unwrap_err().status(), Status::OPEN);
    assert_eq!(Filter::new(1000, 0.0).unwrap_err().to_string(), Status::FPP_TOO_LOW.to_string());
    for file in [plain, shared] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn forms_and_sizes() {
    let mut config = Config::new(1000, 0.01);
    config.strategy = Strategy::GUAVA_MITZ64;
    let filter = Filter::with(&config).unwrap();
    filter.put_many(&["a", "b"]);
    let guava = Filter::from_bytes(&filter.to_bytes_as(Form::GUAVA).unwrap()).unwrap();
    assert!(guava.stats().form == Form::GUAVA && guava.stats().strategy.name() == "guava-mitz64");
    assert_eq!(guava.compare(&filter).unwrap().jaccard.value, 1.0);
    assert!(filter.copy().unwrap().might_contain("b") && filter.fold(0).is_err() && filter.fold(1).is_ok());

    let other = Filter::new(1000, 0.01).unwrap();
    let mut like = Config::new(1000, 0.01);
    assert_eq!(Filter::with(&like).unwrap().put_all(&other).unwrap_err().status(), Status::HASH_DIFFERS);
    like.take_hash(&other).unwrap();
    assert!(Filter::with(&like).unwrap().put_all(&other).is_ok());
    assert!(like.plan().unwrap().bytes == other.stats().bytes && like.fpp_after(1).unwrap() < 0.01);
}

#[test]
fn versions_are_replaced() {
    let versions = Versions::waiting().unwrap();
    assert!(versions.might_contain("a") && versions.number() == 0);
    versions.begin_rebuild_with(Filter::new(1000, 1e-9).unwrap()).unwrap().publish(Previous::DROP_PREVIOUS).unwrap();
    versions.put_many(&["a", "b"]);
    {
        let (old, config) = (versions.enter(), Config::new(1000, 1e-9));
        assert_eq!(versions.begin_rebuild(&config).unwrap_err().status(), Status::IN_SECTION);
        let building = std::thread::scope(|threads| {
            let second = threads.spawn(|| versions.begin_rebuild(&config)); // waits for `old`
            assert!(old.number() == 1 && old.might_contain("b"));
            drop(old);
            second.join().unwrap().unwrap()
        });
        building.put("c");
        assert!(versions.put("d") && !versions.might_contain("c"));
        assert_eq!(versions.begin_rebuild(&config).unwrap_err().status(), Status::REBUILDING);
        assert_eq!(building.publish(Previous::KEEP_PREVIOUS).unwrap(), 2);
        drop(versions.begin_rebuild(&config).unwrap());
    }
    assert!(versions.might_contain_many(&["a", "c", "d"]).iter().eq([false, true, true]));
    assert_eq!(versions.rollback().unwrap(), 3);
    assert!(versions.might_contain("a") && !versions.might_contain("c"));
    assert!(versions.drop_previous().is_err() && versions.reclaim() == 0);
    assert!(Versions::with(Filter::new(10, 0.1).unwrap()).unwrap().number() == 1);
}
