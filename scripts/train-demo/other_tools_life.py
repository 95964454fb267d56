"""More hand-written training tools: money, music, maps, devices, texts, units, games, school, pictures. See other_tools.py."""

TOOLS = """
transfer_money(amount: number=price, recipient: string=person, reference?: string=words) - Transfer money to somebody.
? Send {amount} to {recipient}; Pay {recipient} {amount}; I owe {recipient} {amount}, transfer it; {recipient} gets {amount} from me, reference '{reference}'; Transfer {amount} to {recipient} with the reference {reference}; Wire {recipient} {amount} for "{reference}"; Give {recipient} the {amount} that I borrowed
! pay and transfer money from a bank account
list_transactions(account: string=code, since?: string=isodate, limit?: integer=small) - List the transactions of a bank account.
? Show the transactions of {account}; What went out of {account} since {since}?; The last {limit} transactions of {account}; Bookings on {account} from {since} on; What happened on my account {account}?; Since {since}, what was booked on {account}?
= -12.50 shop; +300 salary
! see the transactions of bank accounts
log_expense(amount: number=price, what: string=product, date?: string=date) - Log a private expense.
? I spent {amount} on {what}; {what} cost me {amount}; Log {amount} for {what}; {amount} for {what} on {date}; On {date} I paid {amount} for {what}; Write down an expense: {what}, {amount}; Put {amount} for {what} in my budget
! log expenses
loan_payment(principal: number=big, rate: number=smallnum, years: integer=small) - Work out the monthly payment of a loan.
? What do I pay per month for a loan of {principal} at {rate} percent over {years} years?; Loan: {principal}, {rate}%, {years} years; I borrow {principal} for {years} years at {rate} percent, what is the rate per month?; Monthly payment on {principal} at {rate}% for {years} years; Over {years} years, at {rate} percent, what does a {principal} loan cost a month?
= 432.10 a month
! work out loans
split_bill(total: number=price, people: integer=small, tip_percent?: number=percent) - Split a restaurant bill.
? Split {total} between {people} people; We are {people} and the bill is {total}; {people} of us ate for {total}, split the bill; Share a bill of {total} among {people} with {tip_percent} percent tip; The bill is {total}, {people} people, {tip_percent}% tip; What does each of {people} people pay for a bill of {total}?
= 17.20 each
! split a bill
set_budget(category: string=product, amount: number=price, month?: string=month) - Set a monthly budget.
? Set a budget of {amount} for {category}; I don't want to spend more than {amount} on {category}; Budget for {category} in {month}: {amount}; In {month} I may spend {amount} on {category}; {amount} a month for {category}; Limit {category} to {amount}
! set a budget
crypto_price(coin: string=coin, currency?: string=currency) - Get the price of a cryptocurrency.
? What is {coin} worth?; Price of {coin} in {currency}; How much is one {coin} in {currency}?; {coin} price please; Did {coin} go up?; In {currency}, what does {coin} cost?
= 2301.5
! look up crypto prices
buy_stock(symbol: string=ticker, shares: integer=int, limit?: number=price) - Buy shares.
? Buy {shares} shares of {symbol}; {shares} {symbol} please; I want {shares} shares of {symbol} at no more than {limit}; Buy {symbol}, {shares} pieces, limit {limit}; Get me {shares} of {symbol} below {limit}; Order {shares} {symbol} shares
! buy shares
create_playlist(name: string=title, songs?: string[]=titles, public?: boolean=bool) - Create a playlist.
? Make a playlist called {name}; New playlist '{name}' with {songs}; Put {songs} in a playlist named {name}; A public playlist{public=true} "{name}"; Playlist {name} please; I want a playlist "{name}" that only I can see{public=false}; Create the playlist {name} from {songs}
! make playlists of music media
play_radio(station: string=title, volume?: integer=percent) - Play a radio station.
? Play the radio station {station}; Radio {station}; Put on {station} radio at volume {volume}; I want to hear {station} on the radio; Tune in to {station}; Radio {station}, volume {volume}; Switch the radio to {station}
! play radio media
play_podcast(show: string=title, episode?: integer=int, speed?: number=smallnum) - Play a podcast.
? Play the podcast {show}; Episode {episode} of {show}; Put on {show}, episode {episode}; Let me hear the newest {show} podcast; Play {show} at {speed} times the speed; Continue {show} with episode {episode}; The podcast "{show}" at speed {speed}
! play podcasts and media
identify_song(seconds?: integer=small) - Listen and identify a song.
? What song is this?; Which song is playing here?; Listen for {seconds} seconds and tell me the song; Name this tune; I hear a song, find out what it is; Identify the song, listen {seconds} seconds
= Blue Morning
! identify songs
get_lyrics(song: string=title, artist?: string=person) - Get the lyrics of a song.
? Lyrics of {song}; What are the words of {song} by {artist}?; Show me the text of the song {song}; I want to sing {song} by {artist}, get the lyrics; How does {song} go?; {artist} sings "{song}", show the lyrics
= La la la
! get lyrics
watch_movie(title: string=title, device?: string=device, subtitles?: string=language) - Start a film.
? Play the film {title}; Watch {title} on the {device}; I'd like to see the movie {title}; Put on {title} with {subtitles} subtitles; On the {device}, start the film {title}; {title} on the {device}, {subtitles} subtitles; Movie night: {title}!
! play films, videos and media
cinema_times(movie: string=title, city: string=city, date?: string=date) - Get cinema showtimes.
? When is {movie} on in {city}?; Cinema times for {movie} in {city} on {date}; Where in {city} can I see {movie}?; I'm in {city} and want to see {movie} on {date}; {movie}, {city}, {date}: showtimes; On {date}, which cinema in {city} shows {movie}?
= 17:00, 20:15
! look up films and cinema times
rate_movie(title: string=title, stars: integer=stars) - Rate a film.
? I give {title} {stars} stars; {stars} stars for {title}; Rate the film {title} {stars}; {title} was worth {stars} stars; My rating of {title} is {stars}; {title}: {stars} out of 5
! rate or look up films
find_nearby(kind: "restaurant"|"pharmacy"|"bank"|"supermarket"=enum, place: string=city, radius_km?: number=posnum) - Find places nearby.
? Is there a {kind} in {place}?; Find a {kind} within {radius_km} km of {place}; I'm in {place} and need a {kind}; Where is the next {kind} around {place}?; Show each {kind} near {place}; {kind} near {place}, {radius_km} km at most; {place}, {kind}, radius {radius_km}
= 3 found.
! find places nearby
distance_between(origin: string=city, destination: string=city, unit?: "km"|"miles"=enum) - Get the distance between two places.
? How far is it from {origin} to {destination}?; Distance between {origin} and {destination}; How many {unit} are between {origin} and {destination}?; {origin} to {destination} in {unit}; Is {destination} far from {origin}?; From {origin}, how many {unit} to {destination}?
= 480
! find and measure distances of places
get_coordinates(place: string=city, country?: string=country) - Get the coordinates of a place.
? Where exactly is {place}?; Coordinates of {place}; Latitude and longitude of {place} in {country}; Find {place}, {country} on the globe; GPS position of {place}; Which coordinates does {place} in {country} have?
= 48.1, 11.6
! find coordinates of places
reverse_geocode(latitude: number=lat, longitude: number=lon) - Find the address at some coordinates.
? What is at {latitude}, {longitude}?; Which address is at {latitude} {longitude}?; Find the place with latitude {latitude} and longitude {longitude}; I'm at {latitude}, {longitude}, where is that?; Address for {latitude} / {longitude}; Where do I end up at latitude {latitude}, longitude {longitude}?
= 4 River Road
! find addresses of places
traffic_report(road: string=road, direction?: string=city) - Get the traffic on a road.
? How is the traffic on {road}?; Is there a jam on {road} towards {direction}?; Traffic on {road} in the direction of {direction}; {road} traffic please; I'm driving on {road} to {direction}, any jams?; Can I get through on {road}?
= Clear.; 4 km jam
! report the traffic
weather_forecast(city: string=city, days: integer=small) - Get the weather forecast for the next days.
? Forecast for {city} for {days} days; How will the weather in {city} be in the next {days} days?; {days} day forecast for {city}; Will it rain in {city} within {days} days?; Weather in {city} for the coming {days} days; I'm off to {city} for {days} days, what is the forecast?
= Rain, then sun.
! check the weather forecast
sunrise_time(city: string=city, date?: string=date) - Get sunrise and sunset.
? When does the sun rise in {city}?; Sunrise in {city} on {date}; When will it get dark in {city} on {date}?; {city}, {date}: sunrise and sunset; How early is it light in {city}?; On {date}, when does the sun set in {city}?
= 6:12, 20:41
! tell when the sun rises and sets
air_quality(city: string=city) - Get the air quality in a city.
? How good is the air in {city}?; Air quality in {city}; Is the air in {city} bad today?; Can I breathe well in {city}?; How polluted is {city}?; {city} air pollution please
= good; poor
! check the air and weather
get_battery_level(device: string=device) - Get the battery level of a device.
? How full is the battery of the {device}?; Does the {device} need charging?; Battery of my {device}; Is the {device} nearly empty?; How much power is left in the {device}?; {device} battery please
= 64 percent
! watch devices and batteries
find_device(device: string=device, ring?: boolean=bool) - Find a lost device.
? Where is my {device}?; I lost my {device}; Find my {device} and make it ring{ring=true}; Locate the {device}; Find the {device} quietly{ring=false}; My {device} is gone, let it ring{ring=true}; Search for my {device} with ring {ring}
! find lost devices
connect_bluetooth(device: string=device, pin?: string=pin) - Connect a bluetooth device.
? Connect the {device} over bluetooth; Pair with the {device}, pin {pin}; Bluetooth to the {device}; Link up my {device} using the pin {pin}; I want to use the {device} via bluetooth; The pin is {pin}, connect the {device}
! connect devices
join_wifi(network: string=word, password?: string=code) - Join a wireless network.
? Join the wifi {network}; Connect to {network} with the password {password}; The wifi is called {network}, the password is {password}; Get me on the wireless network {network}; Use the network {network}; Log into {network} using {password}; Wifi {network}, password {password}
! join and connect to networks
set_screen_brightness(percent: integer=percent) - Set the brightness of the screen.
? Set the screen to {percent} percent; My screen is too dark, {percent} percent; Screen brightness {percent}; Make the display {percent}% bright; I can't see the screen, {percent} percent please; Brightness of the display at {percent}
! set the screen
do_not_disturb(on: boolean=bool, until?: string=clock) - Turn do-not-disturb on or off.
? Don't let anyone disturb me until {until}{on=true}; I want some quiet{on=true}; Notifications may come again{on=false}; Do not disturb till {until}{on=true}; Turn off do not disturb{on=false}; Be silent until {until}{on=true}; Set do not disturb to {on}
! turn notifications off or on
list_devices() - List the connected devices.
? Which devices are connected?; List my devices; What is connected here?; Show me all the devices; Do I have any devices connected?; Tell me the connected devices
= tablet, speaker
! list and watch devices
get_location() - Get the user's current location.
? Where am I?; Tell me my location; What place is this here?; Show my position; I'm lost, where am I?; What is my current location?
= Oslo
! find out where you are
stop_music() - Stop the music.
? Stop the music; Enough music for now; Silence please, no more music; Turn off the music; I don't want to hear music any more; Music off
! stop music and media
summarize_text(text: string=text, sentences?: integer=small) - Summarise a text.
? Summarise this: {text}; Sum up '{text}' in {sentences} sentences; Make "{text}" shorter; In {sentences} sentences, what does "{text}" say?; A summary of '{text}' please; Shorten "{text}" to {sentences} sentences; Give me the gist of this: {text}
! summarise texts
replace_in_text(text: string=words, old: string=word, new: string=word) - Replace a word in a text.
? Replace {old} by {new} in '{text}'; In "{text}", put {new} in place of {old}; Change {old} to {new} in "{text}"; '{text}' should have {new} instead of {old}; Swap {old} for {new} in the text '{text}'; Use {new} for {old} in "{text}"
! replace words in texts
check_spelling(text: string=text, language?: string=language) - Check the spelling of a text.
? Check the spelling of '{text}'; Is "{text}" spelled right?; Any typos in '{text}'?; Spell check in {language}: {text}; Look for mistakes in the {language} text "{text}"; Did I write '{text}' correctly in {language}?
= No mistakes.
! check the spelling of texts
detect_language(text: string=text) - Detect the language of a text.
? Which language is '{text}'?; What language is "{text}" written in?; Detect the language: {text}; Is '{text}' English or something else?; Find out the language of "{text}"; I got this text and don't know the language: {text}
= English
! detect and translate the language of texts
read_aloud(text: string=text, voice?: "male"|"female"|"robot"=enum, speed?: number=smallnum) - Read a text aloud.
? Read this aloud: {text}; Say '{text}'; Say "{text}" in a {voice} voice; Read '{text}' out with the {voice} voice; Speak: {text}; Let me hear "{text}" at speed {speed}; With a {voice} voice at speed {speed}, say '{text}'
! read texts aloud
convert_weight(amount: number=posnum, unit: "kg"|"g"|"lb"|"oz"=enum, target: "kg"|"g"|"lb"|"oz"=enum) - Convert a weight.
? Convert {amount} {unit} to {target}; How many {target} are {amount} {unit}?; {amount} {unit} in {target}; What do {amount} {unit} weigh in {target}?; I have {amount} {unit}, how many {target} is that?; In {target}: {amount} {unit}
= 2.2
! convert weights and units
convert_timezone(time: string=moment, from_city: string=city, to_city: string=city) - Convert a time between the time zones of two cities.
? When it is {time} in {from_city}, what time is it in {to_city}?; {time} in {from_city} is what time in {to_city}?; My call is at {time} {from_city} time, when is that in {to_city}?; Convert {time} from {from_city} to {to_city} time; What does a clock in {to_city} show at {time} in {from_city}?
= 14:30
! tell and convert the time in time zones
days_between(start: string=isodate, end: string=isodate) - Count the days between two dates.
? How many days are between {start} and {end}?; Days from {start} to {end}; Count the days from {start} until {end}; {start} to {end}, how many days is that?; If I leave on {start} and return on {end}, how many days is that?; How long is it from {start} till {end} in days?
= 41
! count days between dates
start_game(game: "chess"|"checkers"|"hangman"|"poker"=enum, difficulty?: "easy"|"medium"|"hard"=enum, opponent?: string=person) - Start a game.
? Let's play {game}; Play {game} against {opponent}; I'm bored, start {game}; A {difficulty} game of {game}; {game} with {opponent} on {difficulty}; Challenge {opponent} to {game}; Set up {game}, {difficulty}; I want to beat {opponent} at {game}
! start games
make_move(from: string=square, to: string=square) - Move a chess piece.
? Move {from} to {to}; My piece on {from} goes to {to}; {from} to {to}; Play {from}-{to}; I take the piece from {from} and put it on {to}; Bring the pawn from {from} to {to}
! move chess pieces in games
save_score(player: string=person, points: integer=big, level?: integer=small) - Save a game score.
? {player} got {points} points; Save {points} points for {player}; {player} scored {points} in level {level}; Score of {player}: {points}; Level {level}, {player}, {points} points; Put {player} on the board with {points}; {points} points go to {player}
! save game scores
quiz_question(subject: string=subject, difficulty?: "easy"|"medium"|"hard"=enum, count?: integer=small) - Get quiz questions.
? Quiz me on {subject}; A {difficulty} question about {subject}; Ask me {count} questions about {subject}; {count} {difficulty} quiz questions on {subject}; Test what I know of {subject}; I'd like a {subject} quiz with {count} questions; Give me something {difficulty} from {subject}
= Who found it first?
! ask quiz questions and play games
record_grade(student: string=person, subject: string=subject, grade: "A"|"B"|"C"|"D"|"F"=enum) - Record a grade.
? {student} gets a grade of {grade} in {subject}; Grade {student} with {grade} in {subject}; In {subject}, {student} has earned the grade {grade}; Put down {grade} for {student} in {subject}; Record {grade}, {subject}, {student}; For {subject} give {student} the grade {grade}
! record grades
mark_absent(students: string[]=people, date: string=date, excused?: boolean=bool) - Mark students as absent.
? {students} missed school on {date}; Mark {students} absent on {date}; On {date}, {students} stayed at home, note that they were absent; {students} were not there on {date}, excused {excused}; Absent on {date}: {students}; Mark {students} as absent on {date} with an excuse{excused=true}
! mark absent students
add_homework(subject: string=subject, task: string=text, due: string=date) - Add homework.
? Homework in {subject} for {due}: {task}; For {due} we have to do '{task}' in {subject}; Add the {subject} homework "{task}", due {due}; In {subject}, "{task}" is due on {due}; {subject} homework until {due}: '{task}'; By {due} the class must do '{task}' for {subject}
! add homework
find_book(title?: string=title, author?: string=person, year?: integer=year) - Find a book in the library.
? Do you have the book {title}?; Find books by {author}; Books from {year}; Is {title} by {author} in the library?; What did {author} publish in {year}?; I'm looking for a book called '{title}'; Which books by {author} from {year} are there?
= Shelf 4
! find books
borrow_book(isbn: string=isbn, member: string=person, days?: integer=int) - Borrow a library book.
? {member} wants to borrow {isbn}; Lend {isbn} to {member}; Borrow the book {isbn} for {member} for {days} days; {isbn} goes to {member}, {days} days; Check out {isbn} to {member}; For {days} days, {member} takes the book {isbn}
! borrow books
crop_image(file: string=image, width: integer=int, height: integer=int, x?: integer=int, y?: integer=int) - Crop a picture.
? Crop {file} to {width} by {height}; Cut {file} down to {width} x {height}; Crop {width}x{height} from {file}, starting at {x}, {y}; From {file} keep {width} by {height} pixels at {x}, {y}; {file}: crop to {width} wide and {height} high; I only need {width} by {height} of {file}
! crop and edit pictures
draw_chart(values: number[]=nums, kind: "bar"|"line"|"pie"=enum, title?: string=words) - Draw a chart.
? Draw a {kind} chart of {values}; {values} as a {kind} chart; Show {values} in a {kind} chart titled '{title}'; Make a {kind} chart named {title} from {values}; Plot {values}, {kind}, title "{title}"; I need a {kind} chart with the values {values}
! draw charts and pictures or plot graphs
median(values: number[]=nums) - Median of several numbers.
? What is the median of {values}?; Median: {values}; Find the median of {values}; {values}, what's the median?; Which value is the median of {values}?; Take {values} and give me the median
= 14
! work out the median
find_maximum(values: number[]=nums) - Find the largest of several numbers.
? Which is the largest of {values}?; Maximum of {values}; What's the biggest number in {values}?; {values}: which one is the highest?; Find the greatest of {values}; I need the highest of these: {values}
= 88
! find the largest numbers
pick_winner(names: string[]=people, winners?: integer=small) - Pick a random winner.
? Draw a winner from {names}; Who of {names} wins? Pick at random; Pick {winners} winners among {names}; {names} take part, choose a winner; Let chance decide between {names}; Choose {winners} of {names} at random
= Mia
! pick random winners
round_number(value: number=decimal, digits: integer=digit) - Round a number.
? Round {value} to {digits} digits; {value} rounded to {digits} decimals; I need {value} with {digits} decimal places; What's {value} to {digits} places?; Shorten {value} to {digits} decimals; To {digits} digits, what is {value}?
= 3.1
! round numbers
sign_petition(petition: string=code, name: string=person, email: string=email) - Sign a petition.
? Sign {petition} as {name}, {email}; {name} ({email}) wants to sign {petition}; Put {name} with {email} on the petition {petition}; My name is {name}, my address {email}, sign petition {petition}; Petition {petition}: {name}, {email}; Add the signature of {name} to {petition}, mail {email}
! sign petitions
send_sms(phone: string=phone, text: string=text) - Send a text message to a phone number.
? Text {phone}: {text}; Send an SMS to {phone} saying '{text}'; SMS to {phone}: {text}; Send the number {phone} "{text}"; Write '{text}' to {phone}; {phone} should get the SMS "{text}"; Let {phone} know: {text}
! send messages to phones
book_restaurant(restaurant: string=title, people: integer=small, date: string=date, time?: string=moment) - Reserve at a restaurant.
? Dinner for {people} at {restaurant} on {date}; Reserve {restaurant} for {people} people on {date} at {time}; We are {people} and want to eat at {restaurant} on {date}; {restaurant}, {date}, {time}, {people} people; On {date}, {people} seats at {restaurant}; Get us into {restaurant} on {date} with {people} guests
! reserve and book restaurants
buy_tickets(event: string=title, count: integer=small, seats?: "front"|"middle"|"back"=enum) - Buy event tickets.
? Buy {count} tickets for {event}; {count} tickets to {event} please; I want to see {event} with {count} tickets; {count} {seats} seats for {event}; For {event}, get {count} tickets in the {seats}; We need {count} tickets for the {event} show, {seats}
! buy tickets
donate(charity: string=company, amount: number=price, monthly?: boolean=bool) - Donate money.
? Donate {amount} to {charity}; Give {amount} to {charity} every month{monthly=true}; I'd like {charity} to have {amount}; {charity} gets {amount} from me just once{monthly=false}; A donation of {amount} for {charity}; {amount} for {charity} please
! donate money
"""
